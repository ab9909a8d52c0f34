import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Keyring } from "./sealed.ts";

/** A new token: 32 random bytes as 64 lowercase hex characters. Shown once; only its hash is kept. */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

/** SHA-256 of a token as 64 lowercase hex characters: the only form in which a token is stored. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex");
}

/** Returns whether the hash of `token` is `storedHash` (64 hex characters). Compares in constant time. */
export function tokenMatches(token: string, storedHash: string): boolean {
  return constantTimeEqual(hashToken(token), storedHash);
}

/** Returns whether two strings are equal, in constant time. */
export function constantTimeEqual(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

/**
 * A token that an identical retry must be able to recover: HMAC-SHA-256(service key, purpose ‖ 0x00 ‖ id) as 64
 * lowercase hex characters.
 * @param serviceKey 32 bytes
 */
export function deriveToken(serviceKey: Uint8Array, purpose: string, id: string): string {
  return createHmac("sha256", serviceKey).update(purpose).update("\0").update(id).digest("hex");
}

/** The derived value for the first key of the ring for which `matches` is true; null if that key was removed from the ring. */
export function recover<T>(
  keyring: Keyring,
  derive: (key: Uint8Array) => T,
  matches: (derived: T) => boolean,
): T | null {
  return [keyring.current, ...keyring.previous].map(derive).find(matches) ?? null;
}

/** The derived token whose hash is stored, under any key of the ring; null if its key was removed. */
export function recoverToken(keyring: Keyring, purpose: string, id: string, storedHash: string): string | null {
  return recover(
    keyring,
    (key) => deriveToken(key, purpose, id),
    (token) => tokenMatches(token, storedHash),
  );
}
