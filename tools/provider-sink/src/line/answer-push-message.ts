import { randomBytes, randomInt, randomUUID } from "node:crypto";
import * as z from "zod";
import { invalidLineRecipient, type LineErrorDetail, lineError, lineUnauthorized } from "../faults/line-errors.ts";
import { jsonAnswer, type ProviderAnswer } from "../faults/provider-answer.ts";
import { jsonReaders, type PushOutcome, type PushRequest, parseJson } from "../faults/settle-attempt.ts";
import type { RetryKeys } from "./retry-keys.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const recipient = /^[UCR][0-9a-f]{32}$/;

const text = z.string("May not be null").min(1, "May not be empty").max(5000, "Length must be between 0 and 5000");
const url = z.url({ protocol: /^https$/, error: "Must be a valid URL" });
const messageSchema = z.discriminatedUnion(
  "type",
  [
    z.looseObject({ type: z.literal("text"), text }),
    z.looseObject({ type: z.literal("textV2"), text }),
    z.looseObject({ type: z.literal("image"), originalContentUrl: url, previewImageUrl: url }),
    z.looseObject({ type: z.literal("video"), originalContentUrl: url, previewImageUrl: url }),
    z.looseObject({ type: z.literal("audio"), originalContentUrl: url, duration: z.number() }),
    z.looseObject({ type: z.literal("sticker"), packageId: text, stickerId: text }),
    z.looseObject({
      type: z.literal("location"),
      title: text,
      address: text,
      latitude: z.number(),
      longitude: z.number(),
    }),
    z.looseObject({ type: z.literal("flex"), altText: text, contents: z.looseObject({ type: z.string() }) }),
    z.looseObject({ type: z.literal("template"), altText: text, template: z.looseObject({ type: z.string() }) }),
    z.looseObject({ type: z.literal("imagemap"), altText: text, baseUrl: url }),
  ],
  {
    error:
      "Must be one of the following values: [audio, flex, image, imagemap, location, sticker, template, text, textV2, video]",
  },
);
const pushSchema = z.looseObject({
  messages: z
    .array(messageSchema, "May not be empty")
    .min(1, "May not be empty")
    .max(5, "Size must be between 1 and 5"),
});

const recipientSchema = z.looseObject({ to: z.string() });
const countedSchema = z.looseObject({ messages: z.array(z.unknown()) });

/** Answers a request `POST /v2/bot/message/push` (https://developers.line.biz/en/reference/messaging-api/#send-push-message). */
export function answerPushMessage(retryKeys: RetryKeys, request: PushRequest): PushOutcome {
  const body = parseJson(request.body);
  const to = readRecipient(body);
  const requestId = randomUUID();
  const retryKey = request.headers["x-line-retry-key"]?.toLowerCase();
  const refusal = refuseCredential(request.headers.authorization) ?? refuseRequest(body, to, retryKey);
  const earlier = refusal || retryKey === undefined ? null : retryKeys.find(retryKey);
  const sentMessages = earlier?.sentMessages ?? newSentMessages(body);
  const answer =
    refusal ??
    (earlier
      ? jsonAnswer(
          409,
          { message: "The retry key is already accepted", sentMessages },
          { "x-line-accepted-request-id": earlier.requestId },
        )
      : jsonAnswer(200, { sentMessages }));
  return {
    to,
    answer: { ...answer, headers: { ...answer.headers, "x-line-request-id": requestId } },
    accept: () => {
      if (retryKey !== undefined && !earlier) retryKeys.claim(retryKey, { requestId, sentMessages });
    },
    ...jsonReaders(request.body),
  };
}

function refuseCredential(authorization: string | undefined): ProviderAnswer | null {
  return /^Bearer \S+$/i.test(authorization ?? "") ? null : lineUnauthorized();
}

function refuseRequest(body: unknown, to: string, retryKey: string | undefined): ProviderAnswer | null {
  if (retryKey !== undefined && !uuid.test(retryKey))
    return lineError(400, "The value for the 'X-Line-Retry-Key' header is invalid");
  if (body === undefined) return lineError(400, "The request body could not be parsed as JSON");
  if (!recipient.test(to)) return invalidLineRecipient();
  const parsed = pushSchema.safeParse(body);
  if (parsed.success) return null;
  const details: LineErrorDetail[] = parsed.error.issues.map(({ message, path }) => ({
    message,
    property: propertyName(path),
  }));
  return lineError(400, `The request body has ${details.length} error(s)`, details);
}

function readRecipient(body: unknown): string {
  const parsed = recipientSchema.safeParse(body);
  return parsed.success ? parsed.data.to : "";
}

function newSentMessages(body: unknown): { id: string; quoteToken: string }[] {
  const parsed = countedSchema.safeParse(body);
  const messages = parsed.success ? parsed.data.messages.slice(0, 5) : [];
  return messages.map(() => ({
    id: `${Date.now()}${String(randomInt(100_000)).padStart(5, "0")}`,
    quoteToken: randomBytes(24).toString("base64url"),
  }));
}

/** Formats the path of a property as LINE does: `["messages", 0, "text"]` becomes `messages[0].text`. */
function propertyName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === "number") return `${name}[${part}]`;
    return name === "" ? String(part) : `${name}.${String(part)}`;
  }, "");
}
