import { createMachineTokens } from "@platform/operator-plane/machines";
import { createRetentionStore } from "@platform/operator-plane/retention";
import { createUsageStore } from "@platform/operator-plane/usage/store";
import type { Connection } from "mongoose";
import { consumerPositionModel } from "./consumer-positions.ts";
import { eventModels } from "./domain-event-model.ts";
import { leaseModel } from "./lease-model.ts";
import { partitionModel } from "./partition-leases.ts";
import { auditModels } from "./project-audit-model.ts";
import { scheduleModels } from "./scheduled-operation-model.ts";
import { subscriptionModel } from "./subscription-model.ts";

/** How long runs, events and audits are kept, in days, unless a client's setting overrides it. By default, audits are kept permanently. */
const retentionDefaults = { scheduled_runs: 90, domain_events: 365, audits: null } as const;

/**
 * Maximum number of consumers of one project that are not revoked. Each of them keeps the events that it has not read.
 */
const consumersMax = 50;

/** Every model of this service on a connection. */
export function eventsModels(connection: Connection) {
  return {
    leases: leaseModel(connection),
    partitions: partitionModel(connection),
    audit: auditModels(connection),
    event: eventModels(connection),
    schedule: scheduleModels(connection),
    subscriptions: subscriptionModel(connection),
    consumers: createMachineTokens(connection, {
      model: "EventConsumer",
      collection: "event_consumers",
      prefix: "pcons",
      limit: {
        live: consumersMax,
        message: `A project has at most ${consumersMax} consumers. Revoke one that is not used: consumers revoke --consumer ID.`,
      },
    }),
    consumerPositions: consumerPositionModel(connection),
    usage: createUsageStore(connection),
    retention: createRetentionStore(connection, retentionDefaults),
  };
}

export type EventsModels = ReturnType<typeof eventsModels>;
