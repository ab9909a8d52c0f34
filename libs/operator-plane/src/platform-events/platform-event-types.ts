/** Resources and states of platform events. */
const states = {
  notification_delivery: ["sent", "failed"],
  delivery_endpoint: ["verified", "revoked"],
  file_object: ["available", "rejected"],
  identity_migration: ["link_pending", "completed", "expired"],
  scheduled_run: ["failed"],
  scheduled_operation: ["disabled"],
  subscription: ["ended"],
  quota: ["threshold_reached"],
  credential: ["expiring"],
} as const;

/** The types of platform events. */
export const platformEventTypes: readonly string[] = Object.entries(states).flatMap(([resource, its]) =>
  its.map((state) => `platform.${resource}.${state}`),
);
