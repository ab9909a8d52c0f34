import type { SearchedCollection } from "@platform/operator-plane/search";

/** Collections that operators search by id, idempotency key or correlation id. */
export const searchedCollections: readonly SearchedCollection[] = [
  { kind: "file_object", collection: "file_objects", label: ["state"], isKeyed: true },
  { kind: "public_asset", collection: "public_assets", label: [], parent: "file_object_id" },
  { kind: "publication", collection: "publications", label: [], parent: "public_asset_id", isKeyed: true },
  { kind: "download_grant", collection: "download_grants", label: [], parent: "file_object_id", isKeyed: true },
  { kind: "image_preset", collection: "image_presets", label: ["name"], client: null },
];
