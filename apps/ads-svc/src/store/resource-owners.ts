import type { ResourceOwners } from "@platform/operator-plane/operators";

/**
 * How to find the Project Client that owns the resource of an operator's request, by the field that names the
 * resource.
 */
export const resourceOwners: ResourceOwners = {
  campaign_id: { collection: "campaigns" },
  ad_server_id: { collection: "ad_servers", ownedBy: { field: "bound_to", as: "campaign_id" } },
};
