import { z } from "zod";
import { jsonObject } from "./caller-json.ts";
import { dateTime, integer, uuid } from "./formats.ts";
import { platformEvents } from "./platform-events.ts";
import { dottedName } from "./text.ts";

/** Headers of every call to a registered endpoint (Standard Webhooks 1.0). */
export const webhookHeaders = {
  "webhook-id": z
    .string()
    .describe(
      "Id of the invocation or of the event. It is the same for every attempt, so use it to handle each call once.",
    ),
  "webhook-timestamp": z.string().meta({
    pattern: "^[0-9]+$",
    description:
      "Time of this attempt, in seconds since 1970. Reject a call whose time differs from yours by more than five minutes.",
  }),
  "webhook-signature": z
    .string()
    .describe(
      "`v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body` with the registered secret; several, apart by spaces.",
    ),
} as const;

export const ScheduledCall = z
  .object({
    operation_id: uuid.describe("Id of the scheduled operation."),
    name: dottedName.describe("Name of the operation, as you registered it."),
    invocation_id: uuid.describe("Id of this invocation. It is the same for every attempt."),
    scheduled_for: dateTime.describe("The due time of this call."),
    attempt: integer(1).describe("Number of this attempt, starting with 1."),
  })
  .describe("A call of a scheduled operation.");

export const DomainEventCall = z
  .object({
    specversion: z.literal("1.0").describe("Version of CloudEvents."),
    id: uuid.describe("Id of the event."),
    source: z
      .string()
      .describe(
        "Source of the event: `/project-clients/<id>`. The source of the platform's own events begins with `/platform`.",
      ),
    type: dottedName.describe("Kind of event, as it was published."),
    time: dateTime.describe("Time at which the event happened, or was published if that is not known."),
    datacontenttype: z.literal("application/json").describe("Media type of `data`."),
    publishedtime: dateTime.describe("Time at which the platform recorded the event."),
    schemaversion: z.string().describe("Version of the schema that `data` follows."),
    position: z.string().describe("The event's position in the Project Client's log, a whole number."),
    streamid: z.string().optional().describe("The event's stream, if it has one."),
    sequence: z.string().optional().describe("The event's place in its stream, a whole number."),
    data: jsonObject.describe("The publisher's JSON, as it was sent."),
  })
  .describe("A Domain Event as CloudEvents 1.0 in structured JSON.");

const operationId = "01890a5d-aca0-7469-92c1-80ad4e6f1cb9";
const invocationId = "01890a5d-aca1-757a-a3d2-91be5f702dca";

const clientId = "01890a5d-ac96-774b-bcce-b302099a8057";
const eventOf = (fields: { type: string; data: object; source?: string; streamid?: string; sequence?: string }) => ({
  specversion: "1.0",
  id: invocationId,
  source: `/platform/project-clients/${clientId}`,
  time: "2026-07-01T00:30:00.000Z",
  datacontenttype: "application/json",
  publishedtime: "2026-07-01T00:30:00.120Z",
  schemaversion: "1",
  position: "1201",
  ...fields,
});

/** The calls that the platform makes to endpoints, which projects register with POST /scheduled-operations. */
export const webhooks = {
  scheduledCall: {
    summary: "A scheduled operation is due",
    description:
      "The platform sends this request to the registered url at the times that an operator has configured. Respond with a 2xx status within 15 seconds.",
    mediaType: "application/json",
    body: ScheduledCall,
    examples: {
      due: {
        summary: "A due time",
        value: {
          operation_id: operationId,
          name: "orders.close-stale",
          invocation_id: invocationId,
          scheduled_for: "2026-07-01T00:30:00.000Z",
          attempt: 1,
        },
      },
    },
  },
  domainEvent: {
    summary: "A Domain Event of a subscription",
    description:
      "The platform sends this request to the registered url of a scheduled operation that an operator has subscribed to event types. Each event is sent at least once. Respond with a 2xx status within 15 seconds. The types of the platform's own events begin with `platform.`; see the examples.",
    mediaType: "application/cloudevents+json",
    body: DomainEventCall,
    examples: {
      "order.shipped": {
        summary: "An event that the project published",
        value: eventOf({
          source: `/project-clients/${clientId}`,
          type: "order.shipped",
          streamid: "order-A-1042",
          sequence: "3",
          data: { order_number: "A-1042", parcels: 2 },
        }),
      },
      ...Object.fromEntries(
        Object.entries(platformEvents).map(([type, { when, data }]) => [
          type,
          { summary: when, value: eventOf({ type, data }) },
        ]),
      ),
    },
  },
} as const;
