import type { SearchedCollection } from "@platform/operator-plane/search";

/** Collections that operators search by id, idempotency key or correlation id. */
export const searchedCollections: readonly SearchedCollection[] = [
  { kind: "delivery", collection: "deliveries", label: ["channel", "status"], isKeyed: true, correlated: "by_time" },
  { kind: "delivery_endpoint", collection: "delivery_endpoints", label: ["channel", "status"] },
  { kind: "sender_profile", collection: "sender_profiles", label: ["name"] },
];
