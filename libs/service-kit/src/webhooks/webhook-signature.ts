import { createHmac } from "node:crypto";

const prefix = "whsec_";

/** Is it a secret whose key can be read? With the prefix of Standard Webhooks, base64 must follow it. */
export function isSigningSecret(secret: string): boolean {
  if (!secret.startsWith(prefix)) return true;
  const encoded = secret.slice(prefix.length);
  return encoded.length > 0 && encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
}

/** The key a secret stands for: the bytes of the base64 behind `whsec_`, else its own UTF-8 bytes. */
export function signingKey(secret: string): Buffer {
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : Buffer.from(secret, "utf8");
}

/**
 * Headers of a call signed by Standard Webhooks 1.0: `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`, one signature for each secret,
 * so that a receiver may replace its own at any time while two are in use.
 * @param body the very bytes that are sent
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  now: Date,
  body: string | Buffer,
): { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string } {
  const timestamp = `${Math.floor(now.getTime() / 1000)}`;
  const sign = (secret: string): string =>
    createHmac("sha256", signingKey(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64");
  const signatures = secrets.map((secret) => `v1,${sign(secret)}`).join(" ");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures };
}
