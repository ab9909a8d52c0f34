import type { Connection } from "mongoose";
import { eventModels } from "./domain-event-model.ts";
import { leaseModel } from "./lease-model.ts";
import { auditModels } from "./project-audit-model.ts";
import { scheduleModels } from "./scheduled-operation-model.ts";

/** Every model of this service on a connection. */
export function eventsModels(connection: Connection) {
  return {
    leases: leaseModel(connection),
    audit: auditModels(connection),
    event: eventModels(connection),
    schedule: scheduleModels(connection),
  };
}

export type EventsModels = ReturnType<typeof eventsModels>;
