import { randomBytes } from "node:crypto";
import { badRequest, fcmError, unauthenticated } from "../faults/fcm-errors.ts";
import { jsonAnswer, type ProviderAnswer } from "../faults/provider-answer.ts";
import { jsonReaders, type PushOutcome, type PushRequest, parseJson } from "../faults/settle-attempt.ts";
import type { AccessTokens } from "./access-tokens.ts";

const payloadBytesMax = 4096;
const messageFields = new Set([
  "name",
  "data",
  "notification",
  "android",
  "webpush",
  "apns",
  "fcm_options",
  "fcmOptions",
]);
const targets = ["token", "topic", "condition"] as const;

/** Answers a request `POST /v1/projects/{project}/messages:send` (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages/send). */
export function answerSend(tokens: AccessTokens, project: string, request: PushRequest): PushOutcome {
  const body = asRecord(parseJson(request.body));
  const message = asRecord(body?.message);
  const target = targets.find((name) => typeof message?.[name] === "string");
  const to = target && message ? String(message[target]) : "";
  const answer =
    refuseCredential(tokens, request.headers.authorization) ??
    refuseMessage(body, message, target) ??
    jsonAnswer(200, {
      name: `projects/${project}/messages/${body?.validate_only === true ? "fake_message_id" : newMessageId()}`,
    });
  return { to, answer, ...jsonReaders(request.body) };
}

function refuseCredential(tokens: AccessTokens, authorization: string | undefined): ProviderAnswer | null {
  const accessToken = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
  if (accessToken === undefined) return unauthenticated("CREDENTIALS_MISSING");
  const state = tokens.check(accessToken);
  if (state === "valid") return null;
  return unauthenticated(state === "expired" ? "ACCESS_TOKEN_EXPIRED" : "ACCESS_TOKEN_TYPE_UNSUPPORTED");
}

function refuseMessage(
  body: Record<string, unknown> | null,
  message: Record<string, unknown> | null,
  target: string | undefined,
): ProviderAnswer | null {
  if (!body) return badRequest("", "Invalid JSON payload received. Expected a JSON object.");
  if (!message) return badRequest("message", "Invalid value at 'message': the message is required.");
  const unknown = Object.keys(message).find(
    (name) => !messageFields.has(name) && !targets.some((known) => known === name),
  );
  if (unknown !== undefined) {
    return badRequest(
      "message",
      `Invalid JSON payload received. Unknown name "${unknown}" at 'message': Cannot find field.`,
    );
  }
  if (!target) {
    return badRequest(
      "message",
      "Recipient of the message is not set. Exactly one of token, topic or condition is required.",
    );
  }
  const data = asRecord(message.data) ?? {};
  const wrong = Object.entries(data).findIndex(([, value]) => typeof value !== "string");
  if (wrong >= 0) {
    const field = `message.data[${wrong}].value`;
    return badRequest(
      field,
      `Invalid value at '${field}' (TYPE_STRING), ${JSON.stringify(Object.values(data)[wrong])}`,
    );
  }
  if (contentBytes(message) > payloadBytesMax) return fcmError(400, "INVALID_ARGUMENT", "Message is too big");
  return null;
}

/** Counts the bytes that FCM limits: those of the notification and the data, but not of the target. */
function contentBytes(message: Record<string, unknown>): number {
  return Buffer.byteLength(JSON.stringify([message.notification ?? null, message.data ?? null]));
}

/** Creates a message id in FCM's form, such as `0:1500415314455276%31bd1c9631bd1c96`: a time in microseconds and a random part. */
function newMessageId(): string {
  return `0:${Date.now()}${String(process.hrtime.bigint() % 1000n).padStart(3, "0")}%${randomBytes(8).toString("hex")}`;
}

function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}
