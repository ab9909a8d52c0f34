/** A person who is signed in to the platform. It does not contain the secret: only its SHA-256 is stored. */
export type PlatformSession = {
  /** The id, which consists of 32 lowercase hex characters. */
  readonly id: string;
  readonly account_id: string;
  readonly created_at: Date;
  /** Time at which a password was last entered in this session. */
  readonly authenticated_at: Date;
  /** Time of the last use, accurate to about a minute. */
  readonly last_seen_at: Date;
  /** Time at which the session ends, however often it is used. */
  readonly expires_at: Date;
  readonly revoked_at: Date | null;
};

export const sessionIdleSeconds = 12 * 60 * 60;
export const sessionLifetimeSeconds = 7 * 24 * 60 * 60;
/**
 * Minimum time between two writes of a session's last_seen_at, so that a busy session does not cost one write per
 * request.
 */
export const sessionSeenEverySeconds = 60;

/** Returns whether the session is still valid. */
export function isSessionUsable(session: PlatformSession, now: Date): boolean {
  return (
    session.revoked_at === null &&
    session.expires_at > now &&
    session.last_seen_at.getTime() + sessionIdleSeconds * 1000 > now.getTime()
  );
}

/** True if a password was entered at most `recentSeconds` ago. A time in the future does not count. */
export function isRecentlyAuthenticated(
  session: Pick<PlatformSession, "authenticated_at">,
  now: Date,
  recentSeconds: number,
): boolean {
  const ageMs = now.getTime() - session.authenticated_at.getTime();
  return ageMs >= 0 && ageMs <= recentSeconds * 1000;
}
