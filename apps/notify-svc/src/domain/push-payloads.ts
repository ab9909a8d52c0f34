import { createHash } from "node:crypto";
import { defined } from "@platform/kit/process/fields";
import type { Channel } from "./channel.ts";
import type { MessageContent } from "./delivery.ts";

/** Maximum size in bytes for each provider. LINE has no limit in bytes: it counts the characters of the text. */
export const payloadBytesMax: Readonly<Record<"fcm" | "apns" | "web_push", number>> = {
  /**
   * Limit for notification, data, and the options for single platforms
   * (https://firebase.google.com/docs/cloud-messaging).
   */
  fcm: 4_096,
  /**
   * Limit for the whole payload
   * (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification).
   */
  apns: 4_096,
  /** RFC 8030 §7.2 requires push services to accept 4,096 bytes of body, of which encryption uses 103 (RFC 8188 §2, RFC 8291 §4). */
  web_push: 4_096 - 103,
};

/** A placeholder for the id of a delivery when sizes are computed. All ids have the same length. */
const anyId = "0".repeat(36);

/** Size of a rendered push as its provider counts it, in bytes; null for channels without such a limit. */
export function payloadBytes(channel: Channel, content: MessageContent): number | null {
  if (channel === "fcm") return jsonBytes({ ...fcmContent(content, anyId), ...fcmPlatforms(content, anyId) });
  if (channel === "apns") return jsonBytes(apnsPayload(content, anyId));
  return channel === "web_push" ? jsonBytes(webPushPayload(content, anyId)) : null;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Builds the title, the text and the data of an FCM message. */
export function fcmContent({ subject, text, push }: MessageContent, deliveryId: string) {
  const { link = null, image = null } = push ?? {};
  return {
    notification: { title: subject, body: text, ...defined({ image }) },
    data: { ...push?.data, ...defined({ link }), delivery_id: deliveryId },
  };
}

/** Builds the sound, badge, picture and link in the form that each platform behind FCM requires. */
export function fcmPlatforms({ push }: MessageContent, deliveryId: string) {
  const { badge = null, image = null, link = null, collapseKey = null } = push ?? {};
  const sound = push === null || push.sound === "none" ? null : push.sound;
  const aps = {
    ...defined({ badge, sound }),
    ...(image === null ? {} : { "mutable-content": 1 }),
  };
  return {
    android: {
      notification: {
        tag: collapseKey ?? deliveryId,
        ...defined({ notification_count: badge, sound }),
      },
    },
    apns: {
      ...(Object.keys(aps).length === 0 ? {} : { payload: { aps } }),
      ...(image === null ? {} : { fcm_options: { image } }),
    },
    // For a web page, FCM accepts only links with the scheme https.
    webpush: link?.startsWith("https:") === true ? { fcm_options: { link } } : {},
  };
}

/**
 * The payload of an APNs push. An extension of the app loads `image`, which `mutable-content` permits
 * (https://developer.apple.com/documentation/usernotifications/modifying-content-in-newly-delivered-notifications).
 */
export function apnsPayload({ subject, text, push }: MessageContent, deliveryId: string): Record<string, unknown> {
  const { badge = null, image = null, link = null } = push ?? {};
  const sound = push?.sound ?? "default";
  return {
    ...push?.data,
    aps: {
      alert: { title: subject, body: text },
      ...(sound === "none" ? {} : { sound }),
      ...defined({ badge }),
      ...(image === null ? {} : { "mutable-content": 1 }),
    },
    ...defined({ link, image }),
    delivery_id: deliveryId,
  };
}

/** Builds the payload of a Web Push, which the page's service worker shows (`@platform/client/service-worker`). */
export function webPushPayload({ subject, text, push }: MessageContent, deliveryId: string): Record<string, unknown> {
  const { badge = null, image = null, link = null, collapseKey = null, sound = null, data = {} } = push ?? {};
  return {
    title: subject,
    body: text,
    ...defined({ link, image, badge }),
    ...(sound === "none" ? { silent: true } : {}),
    ...defined({ tag: collapseKey }),
    ...(Object.keys(data).length === 0 ? {} : { data }),
    delivery_id: deliveryId,
  };
}

/** Returns the text of a LINE message. LINE has no title and link, so they become the first and the last line. */
export function lineText({ subject, text, push }: MessageContent): string {
  const { link = null } = push ?? {};
  return [...(subject === "" ? [] : [subject]), text, ...(link === null ? [] : [link])].join("\n");
}

/**
 * The topic of a Web Push, which replaces an earlier push that has not been delivered: at most 32 characters of
 * base64url (RFC 8030 §5.4). A collapse key may contain other characters, so its digest is used.
 */
export function webPushTopic({ push }: MessageContent, deliveryId: string): string {
  const { collapseKey = null } = push ?? {};
  if (collapseKey === null) return deliveryId.replaceAll("-", "");
  return createHash("sha256").update(collapseKey).digest("base64url").slice(0, 32);
}
