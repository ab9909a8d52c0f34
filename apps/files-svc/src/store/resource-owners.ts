import type { ResourceOwners } from "@platform/operator-plane/operators";

/**
 * How to find the Project Client that owns the resource of an operator's request, by the field that names the
 * resource.
 */
export const resourceOwners: ResourceOwners = {
  file_object_id: { collection: "file_objects" },
  public_asset_id: { collection: "public_assets" },
};
