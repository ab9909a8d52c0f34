import type { ResourceOwners } from "@platform/operator-plane/operators";

/**
 * How to find the Project Client that owns the resource of an operator's request, by the field that names the
 * resource.
 */
export const resourceOwners: ResourceOwners = {
  delivery_id: { collection: "deliveries" },
  endpoint_id: { collection: "delivery_endpoints" },
  sender_profile_id: { collection: "sender_profiles" },
};
