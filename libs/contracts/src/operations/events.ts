import { z } from "zod";
import { jsonObject } from "../caller-json.ts";
import { dateTime, integer, uri, uuid } from "../formats.ts";
import { type OperationFamily, projectCredential, replayedKey } from "../operation.ts";
import { dottedName, text } from "../text.ts";
import { withWholeValueRule } from "../whole-value.ts";

const opaqueReference = text({ max: 255, pattern: /^[A-Za-z0-9._:@/+=-]+$/ });

export const CreateProjectAuditBody = z.strictObject({
  actor_id: opaqueReference.describe(
    "Opaque reference to the person or system that acted. Do not send a name or an address.",
  ),
  action: dottedName.describe("The action, such as `order.refund`."),
  resource_type: dottedName.describe("Kind of resource that the action affected."),
  resource_id: opaqueReference.describe("Opaque reference to that resource."),
  outcome: z
    .enum(["succeeded", "failed", "denied"])
    .meta({ id: "ProjectAuditOutcome", description: "Outcome of the action." }),
});

export const PublishDomainEventBody = withWholeValueRule(
  z
    .strictObject({
      type: dottedName.describe("Kind of event, such as `order.placed`."),
      schema_version: integer(1, 65_535).describe("Version of the schema that `data` follows."),
      data: jsonObject.describe("Your own JSON, stored unchanged."),
      stream_id: text({ max: 180 })
        .nullish()
        .describe("Stream that the event belongs to. Send it together with `sequence`, or send neither."),
      sequence: integer(1)
        .nullish()
        .describe("The event's place in its stream. Events of a stream may be published in any order."),
      occurred_at: dateTime.nullish().describe("Time at which the event happened. Omit it if the event happens now."),
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
        project_client_id: uuid.describe("The Project Client whose log contains the event."),
        type: dottedName.describe("Kind of event, as it was published."),
        schema_version: integer(1, 65_535).describe("Version of the schema that `data` follows."),
        data: jsonObject.describe("The publisher's JSON, as it was sent."),
        stream_id: text({ max: 180 }).nullable().describe("The event's stream, or null if it has none."),
        sequence: integer(1).nullable().describe("The event's place in its stream, or null if it has no stream."),
        occurred_at: dateTime
          .nullable()
          .describe("Time at which the event happened, as it was published. Null if it was not given."),
        published_at: dateTime.describe("Time at which the platform recorded the event."),
      })
      .meta({ id: "DomainEventEnvelope", description: "A Domain Event as it is stored in the log." }),
  })
  .meta({ id: "DomainEventResponse" });

export const RegisterScheduledOperationBody = z.strictObject({
  name: dottedName.describe("Name of the operation, sent with every call."),
  url: uri(2048).describe(
    "Address that the platform calls with POST. It must be https. Loopback addresses are allowed only in development and sandbox.",
  ),
  secret: text({ min: 32, max: 255 }).describe(
    "Secret that signs every call (Standard Webhooks). It is never shown again.",
  ),
  max_attempts: integer(1, 100).default(5).describe("Number of attempts before a call counts as failed."),
});

const CreatedId = z
  .object({
    data: z
      .object({ id: uuid.describe("Id of the new record.") })
      .meta({ id: "CreatedId", description: "The id of the new record." }),
  })
  .meta({ id: "CreatedIdResponse" });

export const eventsOperations = {
  "events.createProjectAudit": {
    method: "POST",
    path: "/project-audits",
    summary: "Record a Project Audit fact",
    description:
      "A Project Audit contains only opaque references, an action and an outcome. If you repeat the identical fact with the same key, the response has the same Project Audit id.",
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
      "Once the API responds with success, the event is stored durably. It is stored once in the Project Client's log, however often you send it with the same key.",
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
    description: "Repeat the request with the same key only if name, url, secret and max_attempts are unchanged.",
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
