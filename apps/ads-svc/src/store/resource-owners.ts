import type { ResourceOwners } from "@platform/operator-plane/operators";

/** The resources that operators' requests name, by the field of the request. */
export const resourceOwners: ResourceOwners = {
  campaign_id: { collection: "campaigns" },
  ad_server_id: { collection: "ad_servers", ownedBy: { field: "bound_to", as: "campaign_id" } },
};
