import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** The current service key and the previous ones, 32 bytes each. New secrets are encrypted with `current`; the others still decrypt. */
export type Keyring = {
  readonly current: Uint8Array;
  readonly previous: readonly Uint8Array[];
};

/** Returns a short public name of a key. An encrypted secret contains the name of its key. */
export function keyIdOf(key: Uint8Array): string {
  return createHash("sha256").update("platform key id").update(key).digest("hex").slice(0, 8);
}

/**
 * Encrypts a secret with AES-256-GCM.
 * @param purpose is bound to the result, which can only be decrypted with the same purpose (for example
 * "scheduled-operation:<id>")
 * @returns `<key id>.<base64 of nonce ‖ tag ‖ ciphertext>`
 */
export function seal(keyring: Keyring, purpose: string, plaintext: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyring.current, nonce).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
  return `${keyIdOf(keyring.current)}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64")}`;
}

/**
 * Decrypts the result of `seal`. Throws if no key of the keyring encrypted it, if the purpose differs, or if the text
 * was altered.
 */
export function open(keyring: Keyring, purpose: string, sealed: string): string {
  const [keyId, encoded] = sealed.split(".", 2);
  const key = [keyring.current, ...keyring.previous].find((candidate) => keyIdOf(candidate) === keyId);
  if (key === undefined || encoded === undefined) throw new Error("no key of the keyring opens this secret");
  const bytes = Buffer.from(encoded, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12))
    .setAAD(Buffer.from(purpose))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}
