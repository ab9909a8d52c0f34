import type { eventsOperations } from "@platform/contracts/operations/events";
import type { HandlersFor } from "../handler.ts";
import { createProjectAudit } from "./events/create-project-audit.ts";
import { publishDomainEvent } from "./events/publish-domain-event.ts";
import { registerScheduledOperation } from "./events/register-scheduled-operation.ts";

/** The handlers of the operations of events-svc. */
export const eventsHandlers = {
  "events.createProjectAudit": createProjectAudit,
  "events.publishDomainEvent": publishDomainEvent,
  "events.registerScheduledOperation": registerScheduledOperation,
} satisfies HandlersFor<typeof eventsOperations>;
