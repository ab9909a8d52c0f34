import type { ResourceOwners } from "@platform/operator-plane/operators";

/** The resources that operators' requests name, by the field of the request. */
export const resourceOwners: ResourceOwners = {
  delivery_id: { collection: "deliveries" },
  endpoint_id: { collection: "delivery_endpoints" },
  sender_profile_id: { collection: "sender_profiles" },
};
