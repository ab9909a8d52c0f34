import { newId } from "@platform/kit/process/secrets";
import { type GrpcConnection, isMemberRoleName, type Membership } from "@platform/kit/rpc/client";
import type { ProjectMembership } from "@platform/proto/identity/v1/operator_access";
import { OperatorAccessService } from "@platform/proto/identity/v1/operator_access";
import { LRUCache } from "lru-cache";

/** The state of an open session: the memberships of its person. */
export type OpenSession = { readonly memberships: readonly Membership[] };

/** Reads the state of a session; returns null if it has ended. */
export type FindOpenSession = (sessionId: string) => Promise<OpenSession | null>;

/**
 * How long a response is reused, in milliseconds. A session that has ended, or a role or membership that was removed,
 * is rejected after at most this time plus the duration of one call. That is far below the ten seconds that the
 * platform promises.
 */
const keptMs = 3_000;
const keptMax = 5_000;

/**
 * Reads the state of sessions from identity-svc. If identity-svc does not respond, nobody is admitted, because the
 * person may have been removed. The break-glass token has no session and does not need this check.
 */
export function findSessionsAt(identity: GrpcConnection): FindOpenSession {
  const service = identity.service(OperatorAccessService);
  const ask = async (sessionId: string): Promise<{ state: OpenSession | null }> => {
    const context = { correlationId: newId(), operation: "operator-session", projectClient: null, idempotency: null };
    const reply = await service.checkOperatorSession({ sessionId }, { context, retryUnavailable: true });
    return { state: reply.open ? { memberships: membershipsOf(reply.memberships) } : null };
  };
  const answers = new LRUCache<string, Promise<{ state: OpenSession | null }>>({ max: keptMax, ttl: keptMs });
  return async (sessionId) => {
    const known = answers.get(sessionId);
    if (known !== undefined) return (await known).state;
    const asked = ask(sessionId);
    answers.set(sessionId, asked);
    asked.catch(() => answers.delete(sessionId));
    return (await asked).state;
  };
}

/** Reads the memberships in a message, without those whose role is unknown because a newer version has added it. */
export function membershipsOf(messages: readonly ProjectMembership[]): Membership[] {
  return messages.flatMap(({ projectClientId, role, clientDisabled }) =>
    isMemberRoleName(role) ? [{ clientId: projectClientId, role, isClientDisabled: clientDisabled }] : [],
  );
}
