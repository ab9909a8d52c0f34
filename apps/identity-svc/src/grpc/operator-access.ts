import { isIP } from "node:net";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Membership } from "@platform/kit/rpc/client";
import { callerGuard, type Guard, type Implementation } from "@platform/kit/rpc/server";
import { sourceNetwork } from "@platform/kit/web/http";
import { readReason } from "@platform/operator-plane/operators";
import type { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import type { IdentityContext } from "../identity-context.ts";
import {
  findOpenSession,
  membershipsOf,
  openOperatorSession,
  requireOperatorSession,
} from "../operations/operator-sessions.ts";
import type { OperatorSession } from "../store/operator-sessions.ts";
import { otherServices } from "./other-services.ts";

const fromOperator = callerGuard("operator", "console");
const fromServices = callerGuard(...otherServices);

const forServices: readonly string[] = ["checkOperatorSession", "getOperatorKeys"];

/**
 * Allows operators and members to sign in, and services to request the keys and to ask whether a session is still
 * open.
 */
export const operatorAccessGuard: Guard = (method, call) =>
  (forServices.includes(method.localName) ? fromServices : fromOperator)(method, call);

/** Operators' sign-in and the keys of their assertions. */
export function operatorAccess(context: IdentityContext): Implementation<typeof OperatorAccessService> {
  const shown = async (session: OperatorSession) => ({
    ...sessionMessage(session),
    memberships: (await membershipsOf(context, session.subject)).map(membershipMessage),
  });
  return {
    getOperatorSignIn: async ({ forMembers }) => {
      const { issuer, clientIds, scope } = context.signIn.settingsFor(forMembers);
      return { issuer, clientId: clientIds[0] ?? "", scope };
    },
    createOperatorSession: async ({ idToken, network }, call) => {
      const { session, token } = await openOperatorSession(context, idToken, network || networkOf(call.peer));
      call.logger.info({ resource_id: session.id }, "an operator signed in");
      return { session: await shown(session), sessionToken: token };
    },
    getOperatorSession: async ({ sessionToken }) => ({
      session: await shown(await requireOperatorSession(context, sessionToken)),
    }),
    createOperatorAssertion: async ({ sessionToken, reason, requestId, via, onlyProjectClientId }) => {
      const session = await requireOperatorSession(context, sessionToken);
      const { id, subject, name, roles } = session;
      await context.operatorSessions.noteSeen(session, context.clock());
      const { assertion, expiresAt } = await context.assertions.sign(
        {
          subject,
          name,
          roles,
          sessionId: id,
          signedInAt: session.signed_in_at ?? session.created_at,
          reason: readReason(reason),
          requestId: textOrNull(requestId),
          via: textOrNull(via),
          onlyClientId: textOrNull(onlyProjectClientId),
        },
        context.clock(),
      );
      return { assertion, expiresAt: timestampFromDate(expiresAt) };
    },
    endSessionsByLogoutToken: async ({ logoutToken }) => {
      const { subject, providerSid } = await context.signIn.verifyLogout(logoutToken, context.clock());
      const now = context.clock();
      // A token that contains a session ends that session. One that only contains the person ends all of their sessions
      // (Back-Channel Logout 1.0, 2.7).
      const { operatorSessions } = context;
      const ended =
        providerSid === null
          ? await operatorSessions.endOf(subject, now)
          : await operatorSessions.endOfProviderSession(providerSid, now);
      return { ended };
    },
    endOperatorSession: async ({ sessionToken }) => {
      const { id } = await requireOperatorSession(context, sessionToken);
      await context.operatorSessions.end(id, context.clock());
      return {};
    },
    checkOperatorSession: async ({ sessionId }) => {
      const session = await findOpenSession(context, sessionId);
      return { open: session !== null, memberships: session?.memberships.map(membershipMessage) ?? [] };
    },
    getOperatorKeys: async () => ({ jwksJson: JSON.stringify(context.assertions.keys) }),
  };
}

const textOrNull = (text: string): string | null => (text === "" ? null : text);

/** The network of a caller's address, `host:port` or `[host]:port`; empty for any other text. */
function networkOf(peer: string): string {
  const host = peer
    .replace(/^ipv[46]:/, "")
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "");
  return isIP(host) === 0 ? "" : sourceNetwork(host);
}

const membershipMessage = ({ clientId, role, isClientDisabled }: Membership) => ({
  projectClientId: clientId,
  role,
  clientDisabled: isClientDisabled,
});

function sessionMessage({ subject, name, roles, expires_at, signed_in_at, created_at }: OperatorSession) {
  return {
    subject,
    name,
    roles: [...roles],
    expiresAt: timestampFromDate(expires_at),
    signedInAt: timestampFromDate(signed_in_at ?? created_at),
  };
}
