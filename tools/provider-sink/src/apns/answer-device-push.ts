import { randomUUID } from "node:crypto";
import { apnsError } from "../faults/apns-errors.ts";
import type { ProviderAnswer } from "../faults/provider-answer.ts";
import { jsonReaders, type PushOutcome, type PushRequest, parseJson } from "../faults/settle-attempt.ts";
import type { ProviderTokens } from "./provider-tokens.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const deviceToken = /^(?:[0-9a-f]{2}){32,100}$/i;
const payloadBytesMax = 4096;
const voipPayloadBytesMax = 5120;
const collapseIdBytesMax = 64;
const pushTypes = new Set([
  "alert",
  "background",
  "controls",
  "location",
  "voip",
  "complication",
  "fileprovider",
  "mdm",
  "liveactivity",
  "pushtotalk",
  "widgets",
]);

/** Answers a request `POST /3/device/{token}` (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns). */
export function answerDevicePush(providerTokens: ProviderTokens, request: PushRequest): PushOutcome {
  const to = /^\/3\/device\/([^/]*)$/.exec(request.path)?.[1];
  const apnsId = request.headers["apns-id"] ?? randomUUID().toUpperCase();
  const answer = refuseRoute(request, to) ??
    providerTokens.refuse(request.headers.authorization) ??
    refuseHeaders(request.headers) ??
    refusePayload(request, to ?? "") ?? { status: 200, headers: {}, body: "" };
  return {
    to: to ?? "",
    answer: { ...answer, headers: { ...answer.headers, "apns-id": apnsId } },
    ...jsonReaders(request.body),
  };
}

function refuseRoute(request: PushRequest, to: string | undefined): ProviderAnswer | null {
  if (to === undefined) return apnsError(404, "BadPath");
  if (request.method !== "POST") return apnsError(405, "MethodNotAllowed");
  return to === "" ? apnsError(400, "MissingDeviceToken") : null;
}

function refuseHeaders(headers: Record<string, string>): ProviderAnswer | null {
  const id = headers["apns-id"];
  const priority = headers["apns-priority"] ?? "10";
  if (id !== undefined && !uuid.test(id)) return apnsError(400, "BadMessageId");
  if (!headers["apns-topic"]) return apnsError(400, "MissingTopic");
  if (!pushTypes.has(headers["apns-push-type"] ?? "alert")) return apnsError(400, "InvalidPushType");
  if (!["1", "5", "10"].includes(priority)) return apnsError(400, "BadPriority");
  if (!/^\d+$/.test(headers["apns-expiration"] ?? "0")) return apnsError(400, "BadExpirationDate");
  if (Buffer.byteLength(headers["apns-collapse-id"] ?? "") > collapseIdBytesMax) return apnsError(400, "BadCollapseId");
  return null;
}

function refusePayload(request: PushRequest, to: string): ProviderAnswer | null {
  const isVoip = request.headers["apns-push-type"] === "voip";
  if (request.body.length === 0) return apnsError(400, "PayloadEmpty");
  if (request.body.length > (isVoip ? voipPayloadBytesMax : payloadBytesMax)) return apnsError(413, "PayloadTooLarge");
  if (!deviceToken.test(to)) return apnsError(400, "BadDeviceToken");
  const payload = parseJson(request.body);
  return typeof payload === "object" && payload !== null ? null : apnsError(400, "PayloadEmpty");
}
