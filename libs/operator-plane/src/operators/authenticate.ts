import { constantTimeEqual } from "@platform/kit/process/secrets";
import type { Operator } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { ServerCall } from "@platform/kit/rpc/server";
import { type OperatorKeys, verifyAssertion } from "./assertions.ts";
import type { FindOpenSession } from "./open-sessions.ts";
import { readReason } from "./read-reason.ts";

/**
 * Returns the caller that `authorization: Bearer …` identifies: a person by their assertion, or the break-glass token.
 * Throws unauthenticated.
 */
export type Authenticate = (call: ServerCall) => Promise<Operator>;

const reasonHeader = "x-operator-reason";

/** Replaces the person's subject in calls with the break-glass token. */
export const breakGlassSubject = "break-glass";

/**
 * @param tokens the break-glass token and its predecessor. They permit everything without the identity provider, for
 * emergencies and for platforms that have no identity provider
 * @param findSession called for each assertion, because the person may have been removed since it was signed
 */
export function createAuthenticate(
  tokens: readonly string[],
  keys: OperatorKeys,
  findSession: FindOpenSession,
  clock: () => Date,
): Authenticate {
  return async (call) => {
    const [, presented = ""] = /^Bearer (.+)$/.exec(call.metadata.get("authorization") ?? "") ?? [];
    const reason = readReason(decodeReason(call.metadata.get(reasonHeader)));
    // All tokens are compared, so that the duration does not reveal which one matches.
    const isBreakGlass = tokens.map((token) => constantTimeEqual(presented, token)).includes(true);
    if (isBreakGlass) {
      return {
        subject: breakGlassSubject,
        name: "OPERATOR_TOKEN",
        roles: ["root"],
        memberships: [],
        reason,
        isBreakGlass,
        sessionId: null,
        signedInAtMs: null,
        expiresAtMs: null,
      };
    }
    if (presented.split(".").length !== 3) {
      throw new ServiceError(
        "unauthenticated",
        "The operator is not signed in: run platformctl login, or set OPERATOR_TOKEN to this platform's token.",
      );
    }
    const operator = await verifyAssertion(presented, keys, clock());
    return { ...operator, ...(await stateOf(operator, findSession)), reason: operator.reason ?? reason };
  };
}

/**
 * An assertion without a session was signed by an identity-svc of the previous version. Such an assertion never belongs
 * to a member.
 */
async function stateOf({ sessionId }: Operator, findSession: FindOpenSession): Promise<Partial<Operator>> {
  if (sessionId === null) return {};
  const session = await findSession(sessionId);
  if (session === null) throw new ServiceError("unauthenticated", "The operator session has ended; sign in again.");
  return { memberships: session.memberships };
}

/** Decodes a reason. It is sent percent-encoded, because metadata is ASCII. */
function decodeReason(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError("contract_violation", "x-operator-reason is not percent-encoded UTF-8.");
  }
}
