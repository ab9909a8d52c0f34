import type { ResourceOwners } from "@platform/operator-plane/operators";

/**
 * How to find the Project Client that owns the resource of an operator's request, by the field that names the
 * resource.
 */
export const resourceOwners: ResourceOwners = {
  operation_id: { collection: "scheduled_operations" },
  invocation_id: { collection: "scheduled_runs" },
  subscription_id: { collection: "event_subscriptions" },
  consumer_id: { collection: "event_consumers", client: "bound_to" },
};
