import { defined } from "@platform/kit/process/fields";
import type { Channel } from "./channel.ts";
import type { MessageContent } from "./delivery.ts";
import { apnsPayload, fcmContent, fcmPlatforms, lineText, webPushPayload } from "./push-payloads.ts";

/** Mode of a sender profile: send messages to the provider, or capture them for inspection. */
export const sendModes = ["send", "capture"] as const;
export type SendMode = (typeof sendModes)[number];

/**
 * Mode of a profile that does not specify one. In a sandbox messages are captured, so that nothing is sent to
 * anybody.
 */
export const defaultMode = (environment: string): SendMode => (environment === "sandbox" ? "capture" : "send");

/** Result of a message to a test recipient. */
export type TestRecipient = "delivered" | "bounced" | "complained" | "slow" | "dead" | "throttled";

const mailboxes: readonly TestRecipient[] = ["delivered", "bounced", "complained", "slow"];
const testDomain = "@sandbox.invalid";

/**
 * The recipient's test result, in development and sandbox. Test recipients are mailboxes of `sandbox.invalid`, a name
 * that no mail server can have (RFC 6761 §6.4), and tokens of FCM and APNs that start with `dead-` or `throttled-`.
 * Their messages are not sent to a provider, regardless of the profile's mode.
 */
export function testRecipientOf(channel: Channel, address: string, environment: string): TestRecipient | null {
  if (environment !== "development" && environment !== "sandbox") return null;
  if (channel === "email") return mailboxes.find((mailbox) => address === `${mailbox}${testDomain}`) ?? null;
  if (channel !== "fcm" && channel !== "apns") return null;
  if (address.startsWith("dead-")) return "dead";
  return address.startsWith("throttled-") ? "throttled" : null;
}

/** A captured message without its contents. */
export type CapturedMessage = {
  readonly deliveryId: string;
  readonly projectClientId: string;
  readonly endpointId: string | null;
  readonly channel: Channel;
  readonly toHint: string;
  readonly at: Date;
};

/** The contents of a message that was captured instead of being sent, in the form that it would have had. */
export type CapturedContent = {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
  /** Verification token, for a message that verifies the endpoint. */
  readonly token: string | null;
  readonly unsubscribeUrl: string | null;
  /** The provider's part of the message: headers of an email, or the payload of a push. */
  readonly payload: Readonly<Record<string, unknown>>;
};

/** Builds the captured contents of a verification push. */
export const capturedVerification = (token: string, data: Readonly<Record<string, unknown>>): CapturedContent => ({
  subject: null,
  text: null,
  html: null,
  token,
  unsubscribeUrl: null,
  payload: { data },
});

/** Builds the captured contents of a notification. */
export function capturedNotification(
  channel: Channel,
  content: MessageContent,
  {
    deliveryId,
    unsubscribeUrl,
    headers,
  }: {
    readonly deliveryId: string;
    readonly unsubscribeUrl: string | null;
    /** Headers of an email. */
    readonly headers: Readonly<Record<string, string>>;
  },
): CapturedContent {
  const { subject, text, html } = content;
  const payload =
    channel === "email"
      ? { headers, attachments: content.mail?.attachments.map(({ name }) => name) ?? [] }
      : pushPayload(channel, content, deliveryId);
  return { subject, text, html, token: null, unsubscribeUrl, payload };
}

function pushPayload(
  channel: Exclude<Channel, "email">,
  content: MessageContent,
  deliveryId: string,
): Readonly<Record<string, unknown>> {
  switch (channel) {
    case "fcm":
      return { ...fcmContent(content, deliveryId), ...fcmPlatforms(content, deliveryId) };
    case "apns":
      return apnsPayload(content, deliveryId);
    case "web_push":
      return webPushPayload(content, deliveryId);
    case "line": {
      const image = content.push?.image ?? null;
      return { text: lineText(content), ...defined({ image }) };
    }
  }
}
