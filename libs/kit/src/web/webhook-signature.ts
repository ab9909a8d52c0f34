import { Webhook } from "standardwebhooks";

const prefix = "whsec_";

/** Returns whether a secret contains a readable key. After the prefix of Standard Webhooks, the key must be base64. */
export function isSigningSecret(secret: string): boolean {
  if (!secret.startsWith(prefix)) return true;
  const encoded = secret.slice(prefix.length);
  return encoded.length > 0 && encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
}

/**
 * Returns the headers of a call that is signed by Standard Webhooks 1.0, with one signature for each secret. Two
 * secrets are in use while a secret is being replaced, so that the receiver can switch at any time. The key is the
 * base64 after `whsec_`, or the UTF-8 bytes of any other secret.
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  now: Date,
  body: string,
): { "webhook-id": string; "webhook-timestamp": string; "webhook-signature": string } {
  const timestamp = `${Math.floor(now.getTime() / 1000)}`;
  const signatures = secrets.map((secret) => webhookOf(secret).sign(id, now, body)).join(" ");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures };
}

function webhookOf(secret: string): Webhook {
  return secret.startsWith(prefix) ? new Webhook(secret) : new Webhook(Buffer.from(secret, "utf8"), { format: "raw" });
}
