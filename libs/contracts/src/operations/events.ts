import { z } from "zod";
import { jsonObject } from "../caller-json.ts";
import { dateTime, integer, uri, uuid } from "../formats.ts";
import { type OperationFamily, projectCredential, replayedKey } from "../operation.ts";
import { dottedName, text } from "../text.ts";
import { alsoJudge } from "../whole-value.ts";

const opaqueReference = text({ max: 255, pattern: /^[A-Za-z0-9._:@/+=-]+$/ });

export const CreateProjectAuditBody = z.strictObject({
  actor_id: opaqueReference.describe("Opaque reference of whoever acted; no name, no address."),
  action: dottedName.describe("What was done, such as `order.refund`."),
  resource_type: dottedName.describe("Kind of the resource it was done to."),
  resource_id: opaqueReference.describe("Opaque reference of that resource."),
  outcome: z
    .enum(["succeeded", "failed", "denied"])
    .meta({ id: "ProjectAuditOutcome", description: "How the action ended." }),
});

export const PublishDomainEventBody = alsoJudge(
  z
    .strictObject({
      type: dottedName.describe("Names the kind of event, such as `order.placed`."),
      schema_version: integer(1, 65_535).describe("Version of the schema that `data` follows."),
      data: jsonObject.describe("The caller's own JSON, kept as it is."),
      stream_id: text({ max: 180 }).nullish().describe("Given together with sequence, or not at all."),
      sequence: integer(1).nullish().describe("The event's place in its stream; events may arrive in any order."),
      occurred_at: dateTime.nullish().describe("When it happened, where that is not now."),
    })
    .meta({ dependentRequired: { stream_id: ["sequence"], sequence: ["stream_id"] } }),
  ({ stream_id = null, sequence = null }) => {
    if ((stream_id === null) === (sequence === null)) return [];
    const missing = stream_id === null ? "stream_id" : "sequence";
    return [
      { path: [missing], violation: "required", message: "stream_id and sequence must be given together, or neither" },
    ];
  },
);

export const DomainEventEnvelope = z
  .object({
    data: z
      .object({
        id: uuid.describe("Id of the event."),
        project_client_id: uuid.describe("The Project Client whose log has the event."),
        type: dottedName.describe("The kind of event, as published."),
        schema_version: integer(1, 65_535).describe("Version of the schema that `data` follows."),
        data: jsonObject.describe("The publisher's JSON, as it was sent."),
        stream_id: text({ max: 180 }).nullable().describe("The event's stream; null without."),
        sequence: integer(1).nullable().describe("The event's place in its stream; null without."),
        occurred_at: dateTime.nullable().describe("When it happened, as published; null where that was not said."),
        published_at: dateTime.describe("When the platform recorded it."),
      })
      .meta({ id: "DomainEventEnvelope", description: "A Domain Event as the log keeps it." }),
  })
  .meta({ id: "DomainEventResponse" });

export const RegisterScheduledOperationBody = z.strictObject({
  name: dottedName.describe("Name of the operation, sent with every call."),
  url: uri(2048).describe("Called with POST; https, and loopback only in development and sandbox."),
  secret: text({ min: 32, max: 255 }).describe("Signs every call (Standard Webhooks). Shown nowhere again."),
  max_attempts: integer(1, 100).default(5).describe("How often one call is tried before it counts as failed."),
});

const CreatedId = z
  .object({
    data: z
      .object({ id: uuid.describe("Id of the new record.") })
      .meta({ id: "CreatedId", description: "What was made." }),
  })
  .meta({ id: "CreatedIdResponse" });

export const eventsOperations = {
  "events.createProjectAudit": {
    method: "POST",
    path: "/project-audits",
    summary: "Record a Project Audit fact",
    description:
      "Only opaque references plus a bounded action and outcome. The identical fact under the same key returns the same Project Audit ID.",
    upstream: "events",
    transport: "call",
    auth: projectCredential("audit:write"),
    correlationIdDeclared: true,
    idempotency: replayedKey,
    quota: { resource: "audit_retention", amount: 1 },
    params: null,
    body: CreateProjectAuditBody,
    status: 201,
    response: CreatedId,
    errors: [],
    served: true,
  },
  "events.publishDomainEvent": {
    method: "POST",
    path: "/domain-events",
    summary: "Publish a Domain Event",
    description:
      "An answered event is durable, and stands once in the Project Client's log however often it was sent under its key.",
    upstream: "events",
    transport: "call",
    auth: projectCredential("events:write"),
    correlationIdDeclared: true,
    idempotency: replayedKey,
    quota: { resource: "events", amount: 1 },
    params: null,
    body: PublishDomainEventBody,
    status: 200,
    response: DomainEventEnvelope,
    errors: ["stream_sequence_conflict"],
    served: true,
  },
  "events.registerScheduledOperation": {
    method: "POST",
    path: "/scheduled-operations",
    summary: "Register the endpoint of a scheduled operation",
    description: "Reuse the key only with the same name, url, secret and max_attempts.",
    upstream: "events",
    transport: "call",
    auth: projectCredential("schedules:write"),
    correlationIdDeclared: true,
    idempotency: replayedKey,
    quota: null,
    params: null,
    body: RegisterScheduledOperationBody,
    status: 200,
    response: CreatedId,
    errors: ["scheduled_url_not_allowed"],
    served: true,
  },
} as const satisfies OperationFamily;
