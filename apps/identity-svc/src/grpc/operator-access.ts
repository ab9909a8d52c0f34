import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { callerGuard, type Guard, type Implementation } from "@platform/kit/rpc/server";
import { readReason } from "@platform/operator-plane/operators";
import type { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import type { IdentityContext } from "../identity-context.ts";
import { openOperatorSession, requireOperatorSession, signInNotConfigured } from "../operations/operator-sessions.ts";
import type { OperatorSession } from "../store/operator-sessions.ts";
import { otherServices } from "./other-services.ts";

const fromOperator = callerGuard("operator", "console");
const fromServices = callerGuard(...otherServices);

/** Operators sign in; services ask for the keys. */
export const operatorAccessGuard: Guard = (method, call) =>
  (method.localName === "getOperatorKeys" ? fromServices : fromOperator)(method, call);

/** Operators' sign-in and the keys of their assertions. */
export function operatorAccess(context: IdentityContext): Implementation<typeof OperatorAccessService> {
  return {
    getOperatorSignIn: async () => {
      if (context.operatorSignIn === null) throw signInNotConfigured();
      const { issuer, clientIds, scope } = context.operatorSignIn.settings;
      return { issuer, clientId: clientIds[0] ?? "", scope };
    },
    createOperatorSession: async ({ idToken }, call) => {
      const { session, token } = await openOperatorSession(context, idToken);
      call.logger.info({ resource_id: session.id }, "an operator signed in");
      return { session: sessionMessage(session), sessionToken: token };
    },
    getOperatorSession: async ({ sessionToken }) => ({
      session: sessionMessage(await requireOperatorSession(context, sessionToken)),
    }),
    createOperatorAssertion: async ({ sessionToken, reason, requestId, via, onlyProjectClientId }) => {
      const { subject, name, roles } = await requireOperatorSession(context, sessionToken);
      const { assertion, expiresAt } = await context.assertions.sign(
        {
          subject,
          name,
          roles,
          reason: readReason(reason),
          requestId: textOrNull(requestId),
          via: textOrNull(via),
          onlyClientId: textOrNull(onlyProjectClientId),
        },
        context.clock(),
      );
      return { assertion, expiresAt: timestampFromDate(expiresAt) };
    },
    endOperatorSession: async ({ sessionToken }) => {
      const { id } = await requireOperatorSession(context, sessionToken);
      await context.operatorSessions.end(id, context.clock());
      return {};
    },
    getOperatorKeys: async () => ({ jwksJson: JSON.stringify(context.assertions.keys) }),
  };
}

const textOrNull = (text: string): string | null => (text === "" ? null : text);

function sessionMessage({ subject, name, roles, expires_at }: OperatorSession) {
  return { subject, name, roles: [...roles], expiresAt: timestampFromDate(expires_at) };
}
