import type { SearchedCollection } from "@platform/operator-plane/search";

/** Collections that operators search by id, idempotency key or correlation id. */
export const searchedCollections: readonly SearchedCollection[] = [
  { kind: "campaign", collection: "campaigns", label: ["name"] },
  { kind: "ad_server", collection: "ad_servers", label: ["name"], client: null, parent: "bound_to" },
  {
    kind: "impression",
    collection: "impressions",
    label: ["placement"],
    client: null,
    parent: "campaign_id",
    madeAt: "recorded_at",
  },
];
