import { decisionSecondsMax } from "./decision.ts";

/** The life cycle of a signing key. Each new key has a higher generation, and the one with the highest signs. */
export type KeyLife = {
  readonly kid: string;
  readonly generation: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
};

export type KeyStatus = "active" | "retired" | "expired" | "revoked";

/** How long a replica may still sign with the earlier key because it has not read the rotation yet, in milliseconds. */
export const keyCacheMs = 5_000;

/**
 * The time from which tokens of this key are no longer accepted; null for the newest key. A key is retired by the
 * creation of its successor, so a rotation is a single insert. The tokens of the retired key are accepted for the
 * maximum lifetime of a token after that.
 */
export function verifiesUntil(key: KeyLife, successor: KeyLife | null): Date | null {
  if (key.revokedAt !== null) return key.revokedAt;
  if (successor === null) return null;
  return new Date(successor.createdAt.getTime() + decisionSecondsMax * 1000 + 2 * keyCacheMs);
}

/** The state of a key at the given time. */
export function keyStatus(key: KeyLife, successor: KeyLife | null, now: Date): KeyStatus {
  if (key.revokedAt !== null) return "revoked";
  const until = verifiesUntil(key, successor);
  if (until === null) return "active";
  return now < until ? "retired" : "expired";
}

/** Returns whether the key's private half may be erased, because no replica signs with it any more. */
export function isPrivateHalfDispensable(successor: KeyLife | null, now: Date): boolean {
  return successor !== null && now.getTime() > successor.createdAt.getTime() + 10 * keyCacheMs;
}
