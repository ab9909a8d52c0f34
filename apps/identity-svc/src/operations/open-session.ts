import { constantTimeEqual, hashToken, newId, newToken } from "@platform/kit/process/secrets";
import { isSessionUsable, type PlatformSession, sessionLifetimeSeconds } from "../domain/platform-session.ts";
import { formatSecretKey, parseSecretKey, secretKeyIdOf } from "../domain/secret-key.ts";
import type { IdentityContext } from "../identity-context.ts";

/** A session and the token that presents it. The token is not stored anywhere. */
export type OpenedSession = { readonly session: PlatformSession; readonly token: string };

/**
 * Opens a session of an account whose password was entered at `authenticatedAt`. The session is always a new one, so
 * a token that an attacker planted before the sign-in is useless (session fixation).
 */
export async function openSession(
  context: IdentityContext,
  accountId: string,
  authenticatedAt: Date,
): Promise<OpenedSession> {
  const now = context.clock();
  const secret = newToken();
  const session: PlatformSession = {
    id: secretKeyIdOf(newId()),
    account_id: accountId,
    created_at: now,
    authenticated_at: authenticatedAt,
    last_seen_at: now,
    expires_at: new Date(now.getTime() + sessionLifetimeSeconds * 1000),
    revoked_at: null,
  };
  await context.sessions.insert(session, hashToken(secret));
  return { session, token: formatSecretKey("psess", session.id, secret) };
}

/**
 * Used for the comparison if the session does not exist; no secret has this hash. The response time may reveal that
 * an id exists, which is harmless because ids are not secret.
 */
const noHash = "0".repeat(64);

/** The session for a presented id and the SHA-256 of its secret (64 hex digits), or null if it may not be used. Records that it was used. */
export async function findUsableSession(
  context: IdentityContext,
  sessionId: string,
  secretSha256: string,
): Promise<PlatformSession | null> {
  const found = await context.sessions.findWithHash(sessionId);
  const isRight = constantTimeEqual(secretSha256, found?.secretSha256 ?? noHash);
  const now = context.clock();
  if (found === null || !isRight || !(await mayStillBeUsed(context, found.session, now))) return null;
  await context.sessions.noteSeen(found.session, now);
  return found.session;
}

/** Returns whether the session is open and was authenticated after the last change of its account's password. */
export async function mayStillBeUsed(
  { accounts }: Pick<IdentityContext, "accounts">,
  session: PlatformSession,
  now: Date,
): Promise<boolean> {
  if (!isSessionUsable(session, now)) return false;
  const account = await accounts.find(session.account_id);
  if (account !== null && account.disabled_at !== null) return false;
  const endedAt = account?.sessions_ended_at ?? null;
  return endedAt === null || session.authenticated_at > endedAt;
}

/** Ends a session and notifies the gateways. Null if there is none. */
export async function closeSession(context: IdentityContext, sessionId: string): Promise<PlatformSession | null> {
  const closed = await context.sessions.revoke(sessionId, context.clock());
  if (closed !== null) await context.announceChange({ kind: "session", id: sessionId });
  return closed;
}

/** Splits a presented session token into its id and the hash of its secret. */
export function readSessionToken(token: string): { id: string; secretSha256: string } | null {
  const parsed = parseSecretKey("psess", token);
  return parsed === null ? null : { id: parsed.id, secretSha256: hashToken(parsed.secret) };
}
