import type { ResourceOwners } from "@platform/operator-plane/operators";

/** The resources that operators' requests name, by the field of the request. */
export const resourceOwners: ResourceOwners = {
  file_object_id: { collection: "file_objects" },
  public_asset_id: { collection: "public_assets" },
};
