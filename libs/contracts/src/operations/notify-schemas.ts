import { z } from "zod";
import { variableDeclarations, variables } from "../caller-json.ts";
import { dateTime, integer, uuid } from "../formats.ts";
import { dottedName, hex64, locale, text } from "../text.ts";
import { type WholeValueViolation, withWholeValueRule } from "../whole-value.ts";

/** The channels through which a notification can be sent. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;

/** The channels for which a project registers Delivery Endpoints. LINE endpoints are linked by operators. */
export const registrableChannels = ["fcm", "apns", "web_push"] as const;

const templateKey = text({ max: 120 }).describe("Key of the template in the client's catalog.");

const channel = z.enum(channels).meta({ id: "Channel", description: "How a notification reaches its recipient." });

export const CatalogEntry = z
  .strictObject({
    event_key: dottedName.describe("Kind of event that the notification reports, such as `order.shipped`."),
    template_key: templateKey,
    channel,
    purpose: dottedName.describe("Purpose for which the recipient gives consent, such as `transactional.order`."),
    locale: locale.describe("Language of the template."),
    sender_profile: text({ max: 120 }).describe("Name of the sender profile."),
    variables: variableDeclarations,
  })
  .meta({
    id: "CatalogEntry",
    description: "A notification that a project sends, on one channel and in one language.",
  });

/**
 * Returns the unique key of a catalog entry, or null if a part of the key is missing. NUL separates the parts, because
 * no field may contain it.
 */
function catalogEntryName(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { event_key, channel, locale } = entry as Record<string, unknown>;
  return typeof event_key === "string" && typeof channel === "string" && typeof locale === "string"
    ? `${event_key}\0${channel}\0${locale}`
    : null;
}

const catalogEntries = withWholeValueRule(z.array(CatalogEntry).min(1).max(500), (entries) => {
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

export const ValidateNotificationCatalogBody = z.object({
  entries: catalogEntries.describe("The catalog; no two entries share event_key, channel and locale."),
});

const endpointId = uuid.describe("Id of the Delivery Endpoint.");

export const CatalogDigest = z
  .object({
    data: z
      .object({
        entries: integer(1).describe("Number of entries."),
        digest: hex64.describe("SHA-256 of the canonical catalog (RFC 8785), whatever the order of its entries."),
      })
      .meta({ id: "CatalogDigest", description: "Digest of a valid catalog." }),
  })
  .meta({ id: "CatalogDigestResponse" });

export const EmailEndpointRegistration = z
  .object({
    data: z
      .object({
        id: endpointId,
        status: z
          .enum(["pending", "verified"])
          .meta({ id: "EmailEndpointStatus", description: "`verified`: emails can be sent to the address." }),
        verification_token: hex64
          .nullable()
          .describe(
            "Send this token to the address; the owner returns it to you. Null if the address is already verified.",
          ),
      })
      .meta({ id: "EmailEndpointRegistration", description: "An email Delivery Endpoint and its verification token." }),
  })
  .meta({ id: "EmailEndpointRegistrationResponse" });

export const VerifiedEmailEndpoint = z
  .object({
    data: z
      .object({ id: endpointId, status: z.literal("verified").describe("Emails can be sent to the address.") })
      .meta({ id: "VerifiedEmailEndpoint", description: "A verified email Delivery Endpoint." }),
  })
  .meta({ id: "VerifiedEmailEndpointResponse" });

const consent = z
  .object({
    purpose: text({ max: 120 }).describe("Purpose of the consent."),
    granted: z.boolean().describe("True if consent is granted, false if it was withdrawn."),
  })
  .meta({ id: "DeliveryConsent", description: "A recipient's consent for one purpose." });

export const ChannelDeliveryEndpoint = z
  .object({
    data: z
      .object({
        id: endpointId,
        channel: z
          .enum(["fcm", "apns", "web_push", "line"])
          .meta({ id: "EndpointChannel", description: "How notifications reach the endpoint." }),
        status: z.enum(["pending", "verified", "verification_failed", "verification_locked", "revoked"]).meta({
          id: "DeliveryEndpointStatus",
          description:
            "Notifications are sent only to a `verified` endpoint. A `pending` endpoint waits for the token that was sent through its channel.",
        }),
        verified_at: dateTime.nullable().describe("Time at which the endpoint was verified. Null until then."),
        consents: z.array(consent).describe("The consents that were granted or withdrawn so far."),
      })
      .meta({
        id: "ChannelDeliveryEndpoint",
        description: "A device, browser or LINE user. Its identifier is never returned.",
      }),
  })
  .meta({ id: "ChannelDeliveryEndpointResponse" });

const intentFields = {
  sender_profile_id: uuid.describe("Id of the sender profile. An operator gives it to you."),
  template_key: templateKey,
  locale: locale.describe("Language of the template."),
  endpoint_id: uuid.describe("Id of the verified Delivery Endpoint."),
  variables,
};

export const CreateNotificationIntentBody = z.strictObject({
  ...intentFields,
  marketing_purpose: text({ max: 120 })
    .nullish()
    .describe("Sends the email as a marketing email with one-click unsubscribe."),
});

export const CreateChannelNotificationIntentBody = z.strictObject({
  ...intentFields,
  purpose: text({ max: 120 }).describe("Purpose of the notification. The endpoint must have granted consent for it."),
});

const deliveryStatus = z.enum(["pending", "sending", "sent", "failed"]).meta({
  id: "DeliveryStatus",
  description:
    "`pending`: the delivery waits for its next attempt. `sent`: the provider accepted it. `failed`: the platform has given up.",
});

export const NotificationIntent = z
  .object({
    data: z
      .object({
        intent_id: uuid.describe("Id of the intent."),
        delivery_id: uuid.describe("Id of the delivery. Use it to read the status later."),
        status: deliveryStatus,
      })
      .meta({ id: "NotificationIntent", description: "An accepted notification, which the platform will send." }),
  })
  .meta({ id: "NotificationIntentResponse" });

export const NotificationDelivery = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the delivery."),
        channel,
        status: deliveryStatus,
        attempts: integer(0).describe("Number of attempts so far."),
        provider_status: z
          .string()
          .nullable()
          .describe("Status that the provider returned. Null until it has responded."),
        last_error_code: z.string().nullable().describe("Code of the last error. Null if no error occurred."),
      })
      .meta({ id: "NotificationDelivery", description: "The sending of one notification to one endpoint." }),
  })
  .meta({ id: "NotificationDeliveryResponse" });
