import { defined } from "@platform/kit/process/fields";
import { addressHint } from "../domain/address.ts";
import {
  type CapturedContent,
  type CapturedMessage,
  capturedNotification,
  capturedVerification,
  defaultMode,
  type TestRecipient,
  testRecipientOf,
} from "../domain/capture.ts";
import type { Channel } from "../domain/channel.ts";
import type { Outcome } from "../domain/delivery.ts";
import type { ChannelConfig } from "../domain/sender-profile.ts";
import { type SendRequest, verificationData } from "./sender.ts";
import type { Senders } from "./senders.ts";

/** By how long the first attempt of an email to `slow@sandbox.invalid` is delayed, in milliseconds. */
const slowMs = 10_000;

const deadCodes: Readonly<Partial<Record<Channel, string>>> = { fcm: "fcm_unregistered", apns: "apns_unregistered" };
const throttledCodes: Readonly<Partial<Record<Channel, string>>> = {
  fcm: "fcm_quota_exceeded",
  apns: "apns_too_many_requests",
};

/**
 * Wraps the senders and stores messages that must not reach a provider: every message of a profile that captures, which is the default in a sandbox,
 * and every message to a test recipient.
 */
export function captureMessages(
  senders: Senders,
  keep: (message: CapturedMessage, content: CapturedContent) => Promise<void>,
  clock: () => Date,
): Senders {
  const capture = async (
    config: ChannelConfig,
    request: SendRequest,
    recipient: TestRecipient | null,
  ): Promise<Outcome> => {
    const { deliveryId, projectClientId, endpointId, address } = request;
    const { channel } = config;
    const toHint = addressHint(channel, address);
    const message = { deliveryId, projectClientId, endpointId, channel, toHint, at: clock() };
    await keep(message, contentOf(config, request));
    const isReported = recipient === "bounced" || recipient === "complained";
    return { kind: "accepted", isCaptured: true, ...(isReported ? { report: recipient } : {}) };
  };
  return {
    ...senders,
    send: (profileId, config, request, signal) => {
      const { address, environment } = request;
      const recipient = testRecipientOf(config.channel, address, environment);
      const refusal = recipient === null ? null : refusalOf(recipient, config.channel, request.attempt);
      if (refusal !== null) return Promise.resolve(refusal);
      const isCaptured = recipient !== null || (config.config.mode ?? defaultMode(environment)) === "capture";
      return isCaptured ? capture(config, request, recipient) : senders.send(profileId, config, request, signal);
    },
  };
}

/** The response that a provider would send for a test recipient; null if it would accept the message. */
function refusalOf(recipient: TestRecipient, channel: Channel, attempt: number): Outcome | null {
  if (recipient === "dead") return { kind: "address_dead", errorCode: deadCodes[channel] ?? "unregistered" };
  if (attempt > 1 || (recipient !== "throttled" && recipient !== "slow")) return null;
  const errorCode = recipient === "slow" ? "smtp_451" : (throttledCodes[channel] ?? "throttled");
  const retryAfterMs = recipient === "slow" ? slowMs : null;
  return { kind: "retry", providerStatus: "throttled", errorCode, retryAfterMs, isProviderWide: false };
}

function contentOf({ channel, config }: ChannelConfig, { deliveryId, message }: SendRequest): CapturedContent {
  if (message.kind === "verification") return capturedVerification(message.token, verificationData(message.token));
  const { content, unsubscribeUrl } = message;
  const replyTo = content.mail?.replyTo ?? (channel === "email" ? config.reply_to : undefined);
  const headers: Record<string, string> =
    channel === "email" ? { From: config.from, ...defined({ "Reply-To": replyTo }), ...content.mail?.headers } : {};
  return capturedNotification(channel, content, { deliveryId, unsubscribeUrl, headers });
}
