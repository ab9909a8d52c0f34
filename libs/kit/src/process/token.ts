import { createHash, createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Keyring } from "./sealed.ts";

/**
 * Creates a token: 32 random bytes as 64 lowercase hex characters. The token is shown once, and only its hash is
 * stored.
 */
export function newToken(): string {
  return randomBytes(32).toString("hex");
}

/** Returns the SHA-256 of a token as 64 lowercase hex characters, which is the only form in which a token is stored. */
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
 * Derives a token that an identical retry can derive again: HMAC-SHA-256(service key, purpose ‖ 0x00 ‖ id) as 64
 * lowercase hex characters.
 * @param serviceKey 32 bytes
 */
export function deriveToken(serviceKey: Uint8Array, purpose: string, id: string): string {
  return createHmac("sha256", serviceKey).update(purpose).update("\0").update(id).digest("hex");
}

/**
 * Derives a value with each key of the keyring and returns the first for which `matches` is true. Returns null if its
 * key is no longer in the keyring.
 */
export function recover<T>(
  keyring: Keyring,
  derive: (key: Uint8Array) => T,
  matches: (derived: T) => boolean,
): T | null {
  return [keyring.current, ...keyring.previous].map(derive).find(matches) ?? null;
}

/**
 * Returns the derived token whose hash is stored, with whichever key of the keyring it was derived. Returns null if
 * that key was removed.
 */
export function recoverToken(keyring: Keyring, purpose: string, id: string, storedHash: string): string | null {
  return recover(
    keyring,
    (key) => deriveToken(key, purpose, id),
    (token) => tokenMatches(token, storedHash),
  );
}
