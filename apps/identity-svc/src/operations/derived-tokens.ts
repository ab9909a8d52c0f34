import {
  constantTimeEqual,
  deriveToken,
  type Keyring,
  recover,
  recoverToken as recoverDerived,
} from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";

/** Purpose of a derived token. It is part of the derivation, so that a token of one purpose is invalid for another. */
export type TokenPurpose =
  | "identity-migration.flow-token"
  | "identity-migration.continuation-token"
  | "email-verification.link-token"
  | "password-reset.link-token"
  | "project-contact.link-token";

const codePurpose = "email-verification.code";
const codeCheckPurpose = "email-verification.code-check";

/** Derives a token from the current key. */
export function currentToken(keyring: Keyring, purpose: TokenPurpose, id: string): string {
  return deriveToken(keyring.current, purpose, id);
}

/**
 * Recovers the token of a stored hash, from the key of the ring that derived it. Records outlive their tokens (and
 * completed transactions outlive every key), so a late retry may ask for a token whose key was removed.
 * @throws ServiceError identity_migration_transaction_expired if the key was removed from the ring
 */
export function recoverToken(keyring: Keyring, purpose: TokenPurpose, id: string, storedHash: string): string {
  const token = recoverDerived(keyring, purpose, id, storedHash);
  if (token === null) {
    throw new ServiceError(
      "identity_migration_transaction_expired",
      "This request was answered before, and the token of that answer can no longer be recovered; create a new transaction under a new Idempotency-Key.",
    );
  }
  return token;
}

/** The token of a stored hash; null if the key that it was derived from was removed from the ring. */
export const recoverLinkToken: (
  keyring: Keyring,
  purpose: TokenPurpose,
  id: string,
  storedHash: string,
) => string | null = recoverDerived;

/** The six digits of a verification email. They exist only in the email and while it is composed. */
export function verificationCode(key: Uint8Array, verificationId: string): string {
  // The code is 48 bits modulo a million, so no code is more likely than another by more than one part in 10⁸.
  const number = Number.parseInt(deriveToken(key, codePurpose, verificationId).slice(0, 12), 16) % 1_000_000;
  return String(number).padStart(6, "0");
}

/** The stored form of a code. It is an HMAC, because a plain hash of six digits can be reversed by trying them all. */
export function codeHmac(key: Uint8Array, verificationId: string, code: string): string {
  return deriveToken(key, codeCheckPurpose, `${verificationId}:${code}`);
}

/** True if it is the code whose HMAC is stored, for any key of the ring. */
export function codeMatches(keyring: Keyring, verificationId: string, code: string, storedHmac: string): boolean {
  return [keyring.current, ...keyring.previous]
    .map((key) => constantTimeEqual(codeHmac(key, verificationId, code), storedHmac))
    .includes(true);
}

/** The code whose HMAC is stored, as the email shows it. Throws if its key has been removed from the ring. */
export function recoverCode(keyring: Keyring, verificationId: string, storedHmac: string): string {
  const code = recover(
    keyring,
    (key) => verificationCode(key, verificationId),
    (candidate) => codeMatches(keyring, verificationId, candidate, storedHmac),
  );
  if (code === null) throw new Error("no key of the keyring made this verification code");
  return code;
}
