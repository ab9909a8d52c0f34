import { platformStorage } from "@platform/operator-plane/service";
import { headersPurposeOf } from "./store/call-settings.ts";
import { eventsModels } from "./store/models.ts";
import { reconcileEvents } from "./store/reconcile-events.ts";
import { purposeOf } from "./store/scheduled-operations.ts";

/** The stores of events-svc, for migrations and backups. */
export const storage = platformStorage({
  openStores: eventsModels,
  sharding: {
    domain_events: { key: { project_client_id: 1 } },
    event_log_heads: { key: { _id: 1 } },
    project_audits: { key: { project_client_id: 1 } },
    project_audit_heads: { key: { _id: 1 } },
    scheduled_operations: { unsharded: "workers claim by due time over all clients" },
    scheduled_runs: { unsharded: "workers claim by due time over all clients and write by _id" },
    event_subscriptions: { unsharded: "a few for each client, and every worker lists the active ones" },
    event_consumers: { unsharded: "a few tokens, looked up by their ids" },
    consumer_positions: { unsharded: "one small document for each consumer" },
    event_partitions: { unsharded: "one document for each partition" },
    leases: { unsharded: "one document for each worker and single job" },
  },
  sealed: [
    ["secret_sealed", purposeOf] as const,
    ["previous_secret_sealed", purposeOf] as const,
    ["headers_sealed", headersPurposeOf] as const,
  ].map(([field, purpose]) => ({ collection: "scheduled_operations", field, purposeOf: purpose })),
  leases: ["leases", "event_partitions"],
  reconcile: reconcileEvents,
});
