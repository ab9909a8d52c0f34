import { randomUUID } from "node:crypto";
import type { ProviderAnswer } from "../faults/provider-answer.ts";
import type { PushOutcome, PushRequest } from "../faults/settle-attempt.ts";
import { pushServiceError } from "../faults/web-push-errors.ts";
import { decryptMessage } from "./decrypt-message.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";
import type { VapidVerifier } from "./vapid.ts";

const bodyBytesMax = 4096;
const ttlSecondsMax = 2 ** 31;
const urgencies = ["very-low", "low", "normal", "high"];

/** Answers a message to a push resource (RFC 8030 §5, RFC 8291, RFC 8292). `messageBase` is the beginning of the Location header. */
export async function answerWebPush(
  subscriptions: Subscriptions,
  vapid: VapidVerifier,
  messageBase: string,
  id: string,
  request: PushRequest,
): Promise<PushOutcome> {
  const subscription = subscriptions.find(id);
  const refusal =
    refuseSubscription(subscription) ??
    refuseHeaders(request) ??
    (await refuseVapid(vapid, request, subscription)) ??
    refuseSize(request);
  return {
    to: subscriptions.endpointOf(id),
    answer: refusal ?? accepted(messageBase, request),
    readRaw: () => request.body.toString("base64url"),
    readParsed: () => readPayload(subscription, request.body),
  };
}

/**
 * Answers a message to any other path, which belongs to a subscription whose keys were created elsewhere. The checks are the same, but the body cannot be
 * decrypted here. `origin` is that of the push service.
 */
export async function answerForeignWebPush(
  vapid: VapidVerifier,
  origin: string,
  request: PushRequest,
): Promise<PushOutcome> {
  const refusal = refuseHeaders(request) ?? (await refuseVapid(vapid, request, undefined)) ?? refuseSize(request);
  return {
    to: `${origin}${request.path}`,
    answer: refusal ?? accepted(`${origin}/web-push/messages`, request),
    readRaw: () => request.body.toString("base64url"),
    readParsed: () => null,
  };
}

function accepted(messageBase: string, { headers }: PushRequest): ProviderAnswer {
  return { status: 201, headers: { location: `${messageBase}/${randomUUID()}`, ttl: headers.ttl ?? "0" }, body: "" };
}

function refuseSize({ body }: PushRequest): ProviderAnswer | null {
  if (body.length <= bodyBytesMax) return null;
  return pushServiceError(413, 104, `The message is ${body.length} bytes; at most ${bodyBytesMax} are allowed`);
}

function refuseSubscription(subscription: Subscription | "gone" | undefined): ProviderAnswer | null {
  if (subscription === undefined) return pushServiceError(404, 102, "Request did not validate invalid token");
  return subscription === "gone" ? pushServiceError(410, 106, "Request did not validate uaid_deleted") : null;
}

function refuseHeaders({ headers, body }: PushRequest): ProviderAnswer | null {
  const { ttl, topic, urgency } = headers;
  if (ttl === undefined) return pushServiceError(400, 111, "Missing TTL header");
  if (!/^\d+$/.test(ttl) || Number(ttl) >= ttlSecondsMax) return pushServiceError(400, 112, "Invalid TTL header value");
  if (topic !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(topic)) {
    return pushServiceError(400, 113, "Invalid Topic header value: at most 32 characters of base64url");
  }
  if (urgency !== undefined && !urgencies.includes(urgency))
    return pushServiceError(400, 114, "Invalid Urgency header value");
  if (body.length > 0 && headers["content-encoding"] !== "aes128gcm") {
    return pushServiceError(400, 110, "Content-Encoding must be aes128gcm");
  }
  return null;
}

async function refuseVapid(
  vapid: VapidVerifier,
  request: PushRequest,
  subscription: Subscription | "gone" | undefined,
): Promise<ProviderAnswer | null> {
  const restrictedTo = typeof subscription === "object" ? subscription.applicationServerKey : null;
  const problem = await vapid.check(request.headers.authorization, restrictedTo);
  if (problem === null) return null;
  const challenge = { "www-authenticate": "vapid" };
  return problem === "missing"
    ? pushServiceError(401, 109, "Request did not validate missing authorization header", challenge)
    : pushServiceError(403, 109, `Request did not validate: ${problem}`, challenge);
}

/** Returns the decrypted payload: its JSON value, or its text if it is not JSON, or the error if it cannot be decrypted. */
function readPayload(subscription: Subscription | "gone" | undefined, body: Buffer): unknown {
  if (typeof subscription !== "object" || body.length === 0) return null;
  try {
    const text = decryptMessage(subscription, body).toString("utf8");
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  } catch (error) {
    return { decryption_error: error instanceof Error ? error.message : "unreadable" };
  }
}
