import { decisionSecondsMax } from "./decision.ts";

/** The life cycle of a signing key. Generations increase, and the newest one signs. */
export type KeyLife = {
  readonly kid: string;
  readonly generation: number;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
};

export type KeyStatus = "active" | "retired" | "expired" | "revoked";

/** How long a replica that has not read the rotation yet may still sign with the earlier key. */
export const keyCacheMs = 5_000;

/**
 * The time at which tokens of this key are no longer accepted; null for the newest key. The creation of its successor
 * retires a key, so rotation is one insert. Tokens of the key stay valid until then plus the maximum lifetime of a
 * token.
 */
export function verifiesUntil(key: KeyLife, successor: KeyLife | null): Date | null {
  if (key.revokedAt !== null) return key.revokedAt;
  if (successor === null) return null;
  return new Date(successor.createdAt.getTime() + decisionSecondsMax * 1000 + 2 * keyCacheMs);
}

/** The state of a key at a time. */
export function keyStatus(key: KeyLife, successor: KeyLife | null, now: Date): KeyStatus {
  if (key.revokedAt !== null) return "revoked";
  const until = verifiesUntil(key, successor);
  if (until === null) return "active";
  return now < until ? "retired" : "expired";
}

/** Returns whether its private key may be erased, because no replica signs with it any more. */
export function isPrivateHalfDispensable(successor: KeyLife | null, now: Date): boolean {
  return successor !== null && now.getTime() > successor.createdAt.getTime() + 10 * keyCacheMs;
}
