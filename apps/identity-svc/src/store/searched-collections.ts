import type { SearchedCollection } from "@platform/operator-plane/search";

/** Collections that operators search by id, idempotency key or correlation id. */
export const searchedCollections: readonly SearchedCollection[] = [
  { kind: "project_client", collection: "project_clients", label: ["name"], client: null },
  { kind: "project_credential", collection: "project_credentials", label: ["name"] },
  { kind: "account", collection: "platform_accounts", label: [], client: null },
  {
    kind: "identity_migration_transaction",
    collection: "identity_migration_transactions",
    label: ["state"],
    isKeyed: true,
    correlated: "by_time",
  },
  {
    kind: "hosted_continuation",
    collection: "hosted_continuations",
    label: [],
    parent: "transaction_id",
    isKeyed: true,
  },
  { kind: "erasure", collection: "erasures", label: ["kind"], client: null },
];
