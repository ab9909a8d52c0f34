import type { SearchedCollection } from "@platform/operator-plane/search";

/** Collections that operators search by id, idempotency key or correlation id. */
export const searchedCollections: readonly SearchedCollection[] = [
  {
    kind: "domain_event",
    collection: "domain_events",
    label: ["type"],
    position: "position",
    madeAt: "published_at",
    isKeyed: true,
    correlated: "by_id",
  },
  {
    kind: "project_audit",
    collection: "project_audits",
    label: ["action"],
    madeAt: "recorded_at",
    isKeyed: true,
    correlated: "by_time",
  },
  { kind: "scheduled_operation", collection: "scheduled_operations", label: ["name"], isKeyed: true },
  {
    kind: "scheduled_run",
    collection: "scheduled_runs",
    label: ["state"],
    parent: "operation_id",
    madeAt: "scheduled_for",
    correlated: "by_time",
  },
  { kind: "event_subscription", collection: "event_subscriptions", label: ["status"] },
  { kind: "event_consumer", collection: "event_consumers", label: ["name"], client: "bound_to" },
];
