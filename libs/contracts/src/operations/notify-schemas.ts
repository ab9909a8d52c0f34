import { z } from "zod";
import { variableDeclarations, variables } from "../caller-json.ts";
import { dateTime, integer, uuid } from "../formats.ts";
import { dottedName, hex64, locale, text } from "../text.ts";
import { alsoJudge, type WholeValueViolation } from "../whole-value.ts";

/** The channels a notification can leave by. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;

/** The channels a project registers Delivery Endpoints of; LINE endpoints are linked by operators. */
export const registrableChannels = ["fcm", "apns", "web_push"] as const;

const templateKey = text({ max: 120 });

export const CatalogEntry = z.strictObject({
  event_key: dottedName,
  template_key: templateKey,
  channel: z.enum(channels),
  purpose: dottedName,
  locale,
  sender_profile: text({ max: 120 }),
  variables: variableDeclarations,
});

/**
 * The key that is unique among the entries of a catalog, or null while a part is missing. NUL separates its parts, because no field may contain it.
 */
function catalogEntryName(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { event_key, channel, locale } = entry as Record<string, unknown>;
  return typeof event_key === "string" && typeof channel === "string" && typeof locale === "string"
    ? `${event_key}\0${channel}\0${locale}`
    : null;
}

const catalogEntries = alsoJudge(z.array(CatalogEntry).min(1).max(500), (entries) => {
  const seen = new Set<string>();
  const violations: WholeValueViolation[] = [];
  entries.forEach((entry, index) => {
    const name = catalogEntryName(entry);
    if (name !== null && seen.size === seen.add(name).size) {
      violations.push({
        path: [index],
        violation: "not_unique",
        message: "must differ from every earlier entry in event_key, channel or locale",
      });
    }
  });
  return violations;
});

export const ValidateNotificationCatalogBody = z.object({ entries: catalogEntries });

export const CatalogDigest = z
  .object({
    data: z.object({
      entries: integer(1),
      digest: hex64.describe("SHA-256 of the canonical catalog (RFC 8785), whatever the order of its entries."),
    }),
  })
  .meta({ title: "Catalog Digest" });

export const EmailEndpointRegistration = z
  .object({
    data: z.object({
      id: uuid,
      status: z.enum(["pending", "verified"]),
      verification_token: hex64.nullable().describe("Null when the address is already verified."),
    }),
  })
  .meta({ title: "Email Endpoint Registration" });

export const ChannelDeliveryEndpoint = z
  .object({
    data: z.object({
      id: uuid,
      channel: z.enum(["fcm", "apns", "web_push", "line"]),
      status: z.enum(["pending", "verified", "verification_failed", "verification_locked", "revoked"]),
      verified_at: dateTime.nullable(),
      consents: z.array(z.object({ purpose: text({ max: 120 }), granted: z.boolean() })),
    }),
  })
  .meta({ title: "Channel Delivery Endpoint" });

const intentFields = {
  sender_profile_id: uuid,
  template_key: templateKey,
  locale,
  endpoint_id: uuid,
  variables,
};

export const CreateNotificationIntentBody = z.strictObject({
  ...intentFields,
  marketing_purpose: text({ max: 120 })
    .nullish()
    .describe("Makes the mail a marketing mail with one-click unsubscribe."),
});

export const CreateChannelNotificationIntentBody = z.strictObject({ ...intentFields, purpose: text({ max: 120 }) });

export const NotificationIntent = z
  .object({
    data: z.object({ intent_id: uuid, delivery_id: uuid, status: z.enum(["pending", "sending", "sent", "failed"]) }),
  })
  .meta({ title: "Notification Intent" });

export const NotificationDelivery = z
  .object({
    data: z.object({
      id: uuid,
      channel: z.enum(channels),
      status: z.enum(["pending", "sending", "sent", "failed"]),
      attempts: integer(0),
      provider_status: z.string().nullable().describe("Null until a provider has answered."),
      last_error_code: z.string().nullable().describe("Null when no error occurred."),
    }),
  })
  .meta({ title: "Notification Delivery" });
