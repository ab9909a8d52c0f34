/** The states that platform events report, by resource. */
const states = {
  notification_delivery: ["sent", "failed", "bounced"],
  delivery_endpoint: ["verified", "revoked"],
  file_object: ["available", "rejected"],
  identity_migration: ["link_pending", "completed", "expired"],
  scheduled_run: ["failed"],
  scheduled_operation: ["disabled"],
  subscription: ["failing", "ended"],
  sender_profile: ["failing"],
  quota: ["threshold_reached"],
  credential: ["issued", "expiring"],
  project_member: ["owner_added"],
} as const;

/** The types of platform events. */
export const platformEventTypes: readonly string[] = Object.entries(states).flatMap(([resource, its]) =>
  its.map((state) => `platform.${resource}.${state}`),
);

/** Types about which the contacts of a project are notified by email, whether its platform events are on or off. */
export const noticeTypes: readonly string[] = [
  "platform.quota.threshold_reached",
  "platform.credential.issued",
  "platform.credential.expiring",
  "platform.subscription.failing",
  "platform.subscription.ended",
  "platform.scheduled_operation.disabled",
  "platform.sender_profile.failing",
  "platform.project_member.owner_added",
];
