import { z } from "zod";
import { jsonObject } from "../caller-json.ts";
import { dateTime, integer, uri, uuid } from "../formats.ts";
import { type OperationFamily, projectCredential, replayedKey } from "../operation.ts";
import { dottedName, text } from "../text.ts";
import { alsoJudge } from "../whole-value.ts";

const opaqueReference = text({ max: 255, pattern: /^[A-Za-z0-9._:@/+=-]+$/ });

export const CreateProjectAuditBody = z.strictObject({
  actor_id: opaqueReference,
  action: dottedName,
  resource_type: dottedName,
  resource_id: opaqueReference,
  outcome: z.enum(["succeeded", "failed", "denied"]),
});

export const PublishDomainEventBody = alsoJudge(
  z
    .strictObject({
      type: dottedName,
      schema_version: integer(1, 65_535),
      data: jsonObject.describe("The caller's own JSON, kept as it is."),
      stream_id: text({ max: 180 }).nullish().describe("Given together with sequence, or not at all."),
      sequence: integer(1).nullish().describe("The event's place in its stream; events may arrive in any order."),
      occurred_at: dateTime.nullish(),
    })
    .meta({
      anyOf: [
        {
          properties: { stream_id: { type: "string" }, sequence: { type: "integer" } },
          required: ["stream_id", "sequence"],
        },
        { properties: { stream_id: { type: "null" }, sequence: { type: "null" } } },
      ],
    }),
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
    data: z.object({
      id: uuid,
      project_client_id: uuid,
      type: dottedName,
      schema_version: integer(1, 65_535),
      data: jsonObject,
      stream_id: text({ max: 180 }).nullable(),
      sequence: integer(1).nullable(),
      occurred_at: dateTime.nullable(),
      published_at: dateTime,
    }),
  })
  .meta({ title: "Domain Event Envelope" });

export const RegisterScheduledOperationBody = z.strictObject({
  name: dottedName,
  url: uri(2048).describe("Called with POST; https, and loopback only in development and sandbox."),
  secret: text({ min: 32, max: 255 }).describe("Signs every call (Standard Webhooks). Shown nowhere again."),
  max_attempts: integer(1, 100).default(5),
});

const CreatedId = z.object({ data: z.object({ id: uuid }) }).meta({ title: "Created Id" });

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
