import { createHash, ECDH } from "node:crypto";
import { emailHint, storedEmailForms, tokenHint } from "@platform/kit/web/mail";
import { z } from "zod";
import type { Channel } from "./channel.ts";

/** Identity of an address. Within one Project Client, the same channel and address are the same endpoint. */
export function addressHash(channel: Channel, address: string): string {
  return createHash("sha256").update(channel).update("\0").update(address).digest("hex");
}

/** The fields of a browser's PushSubscription that sending needs. */
export type PushSubscription = {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

const base64url = z.string().regex(/^[A-Za-z0-9_-]+={0,2}$/);

const subscriptionSchema = z.object({
  endpoint: z.url().max(2048),
  keys: z.object({
    p256dh: base64url.refine(isPublicKey, "must be an uncompressed P-256 public key in base64url"),
    auth: base64url.refine((text) => Buffer.from(text, "base64url").length === 16, "must be 16 bytes in base64url"),
  }),
});

/**
 * Returns whether the text is an uncompressed point of P-256. Encrypting to anything else fails, or leaks the
 * sender's key (invalid-curve attack).
 */
function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, "prime256v1");
    return true;
  } catch {
    return false;
  }
}

/**
 * Reads the JSON of a browser's `PushSubscription.toJSON()`.
 * @returns the subscription, or the problem to show to the caller
 */
export function readPushSubscription(identifier: string): PushSubscription | { readonly problem: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(identifier);
  } catch {
    return { problem: "must be the JSON of a PushSubscription" };
  }
  const result = subscriptionSchema.safeParse(parsed);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const at = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  return { problem: `must be a PushSubscription: ${at}${issue?.message ?? "invalid"}` };
}

/**
 * Canonical form of a subscription, so that a different order or white space in the JSON does not create a second
 * endpoint.
 */
export function canonicalSubscription({ endpoint, keys }: PushSubscription): string {
  const unpadded = (text: string): string => text.replace(/=+$/, "");
  return JSON.stringify({ endpoint, keys: { auth: unpadded(keys.auth), p256dh: unpadded(keys.p256dh) } });
}

/**
 * The hashes under which an endpoint with this address may be stored, the current form first. Earlier versions did not
 * store email domains in ASCII form.
 */
export function addressHashes(channel: Channel, address: string): string[] {
  return (channel === "email" ? storedEmailForms(address) : [address]).map((form) => addressHash(channel, form));
}

/** Masks an address. The result is enough to recognize it in a support case, and too little to send anything to it. */
export function addressHint(channel: Channel, address: string): string {
  if (channel === "email") return emailHint(address);
  if (channel !== "web_push") return tokenHint(address);
  const subscription = readPushSubscription(address);
  return "problem" in subscription
    ? "…"
    : `${new URL(subscription.endpoint).origin}/${tokenHint(subscription.endpoint)}`;
}
