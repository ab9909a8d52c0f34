import { z } from "zod";
import { variableDeclarations, variables } from "../caller-json.ts";
import { dateTime, email, integer, uuid } from "../formats.ts";
import { type OperationFamily, projectCredential, replayedKey } from "../operation.ts";
import { dottedName, hex64, locale, text, verificationToken } from "../text.ts";
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

/** What two entries of one catalog must not have in common, or null while any of it is missing. NUL parts it: no field may hold one. */
function catalogEntryName(entry: unknown): string | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { event_key, channel, locale } = entry as Record<string, unknown>;
  return typeof event_key === "string" && typeof channel === "string" && typeof locale === "string"
    ? `${event_key}\0${channel}\0${locale}`
    : null;
}

export const ValidateNotificationCatalogBody = z.object({
  entries: alsoJudge(z.array(CatalogEntry).min(1).max(500), (entries) => {
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
  }),
});

export const CatalogDigest = z.object({
  data: z.object({
    entries: integer(1),
    digest: hex64.describe("SHA-256 of the canonical catalog (RFC 8785), whatever the order of its entries."),
  }),
});

export const EmailEndpointRegistration = z.object({
  data: z.object({
    id: uuid,
    status: z.enum(["pending", "verified"]),
    verification_token: hex64.nullable().describe("Null when the address is already verified."),
  }),
});

export const ChannelDeliveryEndpoint = z.object({
  data: z.object({
    id: uuid,
    channel: z.enum(["fcm", "apns", "web_push", "line"]),
    status: z.enum(["pending", "verified", "verification_failed", "verification_locked", "revoked"]),
    verified_at: dateTime.nullable(),
    consents: z.array(z.object({ purpose: text({ max: 120 }), granted: z.boolean() })),
  }),
});

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

export const NotificationIntent = z.object({
  data: z.object({ intent_id: uuid, delivery_id: uuid, status: z.enum(["pending", "sending", "sent", "failed"]) }),
});

export const NotificationDelivery = z.object({
  data: z.object({
    id: uuid,
    channel: z.enum(channels),
    status: z.enum(["pending", "sending", "sent", "failed"]),
    attempts: integer(0),
    provider_status: z.string().nullable().describe("Null until a provider has answered."),
    last_error_code: z.string().nullable().describe("Null when no error occurred."),
  }),
});

const EndpointParams = z.object({ endpointId: uuid });
const TokenBody = z.object({ token: verificationToken });

const common = {
  upstream: "notify",
  transport: "call",
  auth: projectCredential("notifications:write"),
  correlationIdDeclared: true,
  served: true,
} as const;

const delivery = { resource: "deliveries", amount: 1 } as const;

export const notifyOperations = {
  "notify.validateNotificationCatalog": {
    ...common,
    method: "POST",
    path: "/notification-catalog/validate",
    summary: "Validate a Notification Catalog",
    description: "Read-only. Entries are unique by event_key, channel and locale.",
    idempotency: null,
    quota: null,
    params: null,
    body: ValidateNotificationCatalogBody,
    bodyBytesMax: 4 * 1024 * 1024,
    status: 200,
    response: CatalogDigest,
    errors: [],
  },
  "notify.registerEmailDeliveryEndpoint": {
    ...common,
    method: "POST",
    path: "/email-delivery-endpoints",
    summary: "Register an email Delivery Endpoint",
    description: "An upsert by normalized address (trimmed, NFC, lower case).",
    idempotency: null,
    quota: null,
    params: null,
    body: z.strictObject({ address: email(320, { trim: true }) }),
    status: 200,
    response: EmailEndpointRegistration,
    errors: [],
  },
  "notify.verifyEmailDeliveryEndpoint": {
    ...common,
    method: "POST",
    path: "/email-delivery-endpoints/{endpointId}/verify",
    summary: "Verify an email Delivery Endpoint",
    description: "The token is single-use.",
    idempotency: null,
    quota: null,
    params: EndpointParams,
    body: TokenBody,
    status: 200,
    response: z.object({ data: z.object({ id: uuid, status: z.literal("verified") }) }),
    errors: [
      "delivery_endpoint_not_found",
      "verification_token_invalid",
      "verification_token_expired",
      "verification_locked",
    ],
  },
  "notify.createNotificationIntent": {
    ...common,
    method: "POST",
    path: "/notification-intents",
    summary: "Send an email notification",
    description: "Retry with the same key and an unchanged body.",
    idempotency: replayedKey,
    quota: delivery,
    params: null,
    body: CreateNotificationIntentBody,
    status: 200,
    response: NotificationIntent,
    errors: [
      "delivery_endpoint_not_found",
      "delivery_endpoint_not_verified",
      "sender_profile_not_found",
      "template_not_found",
      "template_variables_mismatch",
      "channel_mismatch",
      "consent_withdrawn",
    ],
  },
  "notify.createChannelNotificationIntent": {
    ...common,
    method: "POST",
    path: "/channel-notification-intents",
    summary: "Send a notification by FCM, APNs, LINE or Web Push",
    description:
      "The endpoint must have granted consent for the purpose. Retry with the same key and an unchanged body.",
    idempotency: replayedKey,
    quota: delivery,
    params: null,
    body: CreateChannelNotificationIntentBody,
    status: 200,
    response: NotificationIntent,
    errors: [
      "delivery_endpoint_not_found",
      "delivery_endpoint_not_verified",
      "delivery_endpoint_revoked",
      "sender_profile_not_found",
      "template_not_found",
      "template_variables_mismatch",
      "channel_mismatch",
      "consent_required",
    ],
  },
  "notify.registerDeliveryEndpoint": {
    ...common,
    method: "POST",
    path: "/notification-endpoints",
    summary: "Register a channel Delivery Endpoint",
    description:
      "The same Project Client, channel and provider token resolve to the same endpoint. The verification token is sent through the channel.",
    idempotency: null,
    quota: null,
    params: null,
    body: z.strictObject({
      channel: z.enum(registrableChannels),
      identifier: text({ min: 20, max: 4096 }).describe(
        "The provider token; for web_push the JSON of the PushSubscription.",
      ),
    }),
    status: 200,
    response: ChannelDeliveryEndpoint,
    errors: [],
  },
  "notify.verifyDeliveryEndpoint": {
    ...common,
    method: "POST",
    path: "/notification-endpoints/{endpointId}/verify",
    summary: "Verify a channel Delivery Endpoint",
    description: "Consumes the current token. Inspect the endpoint before retrying after an ambiguous answer.",
    idempotency: null,
    quota: null,
    params: EndpointParams,
    body: TokenBody,
    status: 200,
    response: ChannelDeliveryEndpoint,
    errors: [
      "delivery_endpoint_not_found",
      "delivery_endpoint_revoked",
      "verification_token_invalid",
      "verification_token_expired",
      "verification_locked",
    ],
  },
  "notify.getDeliveryEndpoint": {
    ...common,
    method: "GET",
    path: "/notification-endpoints/{endpointId}",
    summary: "Read a channel Delivery Endpoint",
    idempotency: null,
    quota: null,
    params: EndpointParams,
    body: null,
    status: 200,
    response: ChannelDeliveryEndpoint,
    errors: ["delivery_endpoint_not_found"],
  },
  "notify.revokeDeliveryEndpoint": {
    ...common,
    method: "DELETE",
    path: "/notification-endpoints/{endpointId}",
    summary: "Revoke a channel Delivery Endpoint",
    description: "Repeating keeps it revoked.",
    idempotency: null,
    quota: null,
    params: EndpointParams,
    body: null,
    status: 200,
    response: ChannelDeliveryEndpoint,
    errors: ["delivery_endpoint_not_found"],
  },
  "notify.setDeliveryConsent": {
    ...common,
    method: "PUT",
    path: "/notification-endpoints/{endpointId}/consents/{purpose}",
    summary: "Grant or withdraw consent for a purpose",
    description: "Repeating the same value keeps the same effective consent.",
    idempotency: null,
    quota: null,
    params: EndpointParams.extend({ purpose: text({ max: 120, pattern: /^[a-z][a-z0-9_.-]*$/ }) }),
    body: z.strictObject({ granted: z.boolean() }),
    status: 200,
    response: ChannelDeliveryEndpoint,
    errors: ["delivery_endpoint_not_found", "delivery_endpoint_revoked"],
  },
  "notify.getNotificationDelivery": {
    ...common,
    method: "GET",
    path: "/notification-deliveries/{deliveryId}",
    summary: "Read a Notification Delivery",
    idempotency: null,
    quota: null,
    params: z.object({ deliveryId: uuid }),
    body: null,
    status: 200,
    response: NotificationDelivery,
    errors: ["notification_delivery_not_found"],
  },
} as const satisfies OperationFamily;
