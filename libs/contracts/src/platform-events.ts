const id = "01890a5d-aca2-7c1e-b4a7-3f1d2c5e9a10";
const endpointId = "01890a5d-ac9e-7247-90a0-6e8b2c4d9f97";
const operationId = "01890a5d-aca0-7469-92c1-80ad4e6f1cb9";
const goneAnswer = { status_code: 410, at: "2026-07-01T00:30:00.000Z", body_start: "This endpoint was retired." };
const delivery = {
  notification_delivery_id: id,
  notification_intent_id: "01890a5d-aca3-7d2f-85b8-4a2e3d6fab21",
  delivery_endpoint_id: endpointId,
  channel: "email",
};

/**
 * Types of platform events: when each is published, and what its data contains. Data contains ids and states, but no
 * personal data.
 */
export const platformEvents: Readonly<
  Record<
    string,
    { readonly when: string; readonly data: Readonly<Record<string, string | number | null | readonly string[]>> }
  >
> = {
  "platform.notification_delivery.sent": {
    when: "A notification was handed to its provider.",
    data: { ...delivery, status: "sent" },
  },
  "platform.notification_delivery.failed": {
    when: "The platform gave up a notification.",
    data: { ...delivery, status: "failed", last_error_code: "delivery_endpoint_revoked" },
  },
  "platform.notification_delivery.bounced": {
    when: "An email that was sent bounced: its address does not exist. The delivery changes to `failed`.",
    data: { ...delivery, status: "bounced", last_error_code: "bounced" },
  },
  "platform.delivery_endpoint.verified": {
    when: "A Delivery Endpoint was verified.",
    data: { delivery_endpoint_id: endpointId, status: "verified", channel: "fcm" },
  },
  "platform.delivery_endpoint.revoked": {
    when: "A Delivery Endpoint was revoked, or its provider reported that the address is dead.",
    data: { delivery_endpoint_id: endpointId, status: "revoked", channel: "fcm" },
  },
  "platform.file_object.available": {
    when: "A file passed classification.",
    data: { file_object_id: id, status: "available", rejection_reason: null },
  },
  "platform.file_object.rejected": {
    when: "A file was rejected.",
    data: { file_object_id: id, status: "rejected", rejection_reason: "content_type_mismatch" },
  },
  "platform.identity_migration.link_pending": {
    when: "A person linked an account. Confirm the link.",
    data: { identity_migration_id: id, status: "link_pending" },
  },
  "platform.identity_migration.completed": {
    when: "A link was confirmed.",
    data: { identity_migration_id: id, status: "completed" },
  },
  "platform.identity_migration.expired": {
    when: "A migration ended without a link.",
    data: { identity_migration_id: id, status: "expired" },
  },
  "platform.scheduled_run.failed": {
    when: "The platform gave up a scheduled call. This event is not published for calls that deliver events.",
    data: { scheduled_run_id: id, status: "failed", operation_id: operationId },
  },
  "platform.sender_profile.failing": {
    when: "For an hour, every attempt to send a message with a sender profile has failed.",
    data: {
      sender_profile_id: id,
      status: "failing",
      channel: "email",
      name: "newsletter",
      failing_since: "2026-07-01T00:30:00.000Z",
    },
  },
  "platform.scheduled_operation.disabled": {
    when: "A target responded to a scheduled call with 410. The operation is now disabled.",
    data: { scheduled_operation_id: operationId, status: "disabled", ...goneAnswer },
  },
  "platform.subscription.failing": {
    when: "No event of a subscription has been delivered for an hour.",
    data: {
      subscription_id: id,
      status: "failing",
      operation_id: operationId,
      failing_since: "2026-07-01T00:30:00.000Z",
    },
  },
  "platform.subscription.ended": {
    when: "A target responded with 410 to a call that delivers an event. The subscription has ended.",
    data: { subscription_id: id, status: "ended", operation_id: operationId, ...goneAnswer },
  },
  "platform.quota.threshold_reached": {
    when: "80 or 100 percent of a quota is spent. Each is reported once per quota window.",
    data: {
      quota_id: "events.2026-07-01",
      status: "threshold_reached",
      resource: "events",
      percent: 80,
      used: 8_000,
      limit: 10_000,
    },
  },
  "platform.project_member.owner_added": {
    when: "A person became an owner of the project.",
    data: { project_member_id: id, status: "owner_added" },
  },
  "platform.credential.issued": {
    when: "A credential was issued or rotated.",
    data: { credential_id: id, status: "issued", scopes: ["events:write"], expires_at: null },
  },
  "platform.credential.expiring": {
    when: "A credential expires in 14 days. The event is published again when it expires in 3 days.",
    data: { credential_id: id, status: "expiring", expires_at: "2026-07-15T00:30:00.000Z", days: 14 },
  },
};
