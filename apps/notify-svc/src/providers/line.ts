import type { messagingApi } from "@line/bot-sdk";
import { request as httpRequest } from "undici";
import type { Outcome } from "../domain/delivery.ts";
import { lineText } from "../domain/push-payloads.ts";
import type { LineConfig } from "../domain/sender-profile.ts";
import { askingFirst } from "./ask-first.ts";
import { type HttpAnswer, noAnswer, readBody, retryOutcome } from "./http-answer.ts";
import { createProfileDispatchers } from "./profile-dispatchers.ts";
import { connectionsMax, type Sender, type SendRequest } from "./sender.ts";

/**
 * Sends through the push of the LINE Messaging API
 * (https://developers.line.biz/en/reference/messaging-api/#send-push-message).
 */
export function createLineSender(options: { readonly baseUrl: string; readonly answerMs: number }): Sender<LineConfig> {
  const { answerMs } = options;
  const dispatchers = createProfileDispatchers(connectionsMax.line, answerMs);
  return {
    send: async (profileId, config, request, signal) => {
      try {
        const response = await httpRequest(`${options.baseUrl}/v2/bot/message/push`, {
          method: "POST",
          dispatcher: askingFirst(dispatchers.of(profileId), request.mayBegin),
          signal,
          headers: {
            authorization: `Bearer ${config.channel_access_token}`,
            "content-type": "application/json",
            "x-line-retry-key": request.deliveryId,
          },
          body: JSON.stringify(pushMessage(request)),
        });
        const body = await readBody(response.body);
        return lineOutcome({ status: response.statusCode, headers: response.headers, body });
      } catch (error) {
        return noAnswer(error);
      }
    },
    forget: dispatchers.forget,
    close: dispatchers.close,
  };
}

function pushMessage({ address, message }: SendRequest): messagingApi.PushMessageRequest {
  if (message.kind === "verification") return { to: address, messages: [{ type: "text", text: message.token }] };
  const { content } = message;
  const image = content.push?.image ?? null;
  return {
    to: address,
    messages: [
      { type: "text", text: lineText(content) },
      // The same picture is used for the full image and for the preview, because LINE scales it.
      ...(image === null ? [] : [{ type: "image" as const, originalContentUrl: image, previewImageUrl: image }]),
    ],
  };
}

/** Interprets LINE's response. 409 means that this retry key was accepted earlier, so LINE already has the message. */
export function lineOutcome(answer: HttpAnswer): Outcome {
  if (answer.status === 200 || answer.status === 202 || answer.status === 409) return { kind: "accepted" };
  const errorCode = `line_${answer.status}`;
  // LINE limits requests and messages per channel
  // (https://developers.line.biz/en/reference/messaging-api/#rate-limits).
  return retryOutcome(answer, errorCode, "provider") ?? { kind: "rejected", errorCode };
}
