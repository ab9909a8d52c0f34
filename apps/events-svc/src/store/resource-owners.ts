import type { ResourceOwners } from "@platform/operator-plane/operators";

/** The resources that operators' requests name, by the field of the request. */
export const resourceOwners: ResourceOwners = {
  operation_id: { collection: "scheduled_operations" },
  invocation_id: { collection: "scheduled_runs" },
  subscription_id: { collection: "event_subscriptions" },
  consumer_id: { collection: "event_consumers", client: "bound_to" },
};
