import { z } from "zod";
import { jsonObject } from "./caller-json.ts";
import { dateTime, integer, uuid } from "./formats.ts";
import { platformEvents } from "./platform-events.ts";
import { dottedName } from "./text.ts";

/** Headers of every call to a registered endpoint (Standard Webhooks 1.0). */
export const webhookHeaders = {
  "webhook-id": z
    .string()
    .describe("Id of what is told, the same for every try: handle each once. The invocation's, or the event's."),
  "webhook-timestamp": z.string().meta({
    pattern: "^[0-9]+$",
    description: "When this try was made, in seconds since 1970. Refuse what is more than five minutes off.",
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
    name: dottedName.describe("Its name, as registered."),
    invocation_id: uuid.describe("Id of this invocation, the same for every try."),
    scheduled_for: dateTime.describe("The time that is due."),
    attempt: integer(1).describe("Which try this is."),
  })
  .describe("A call of a scheduled operation.");

export const DomainEventCall = z
  .object({
    specversion: z.literal("1.0").describe("Version of CloudEvents."),
    id: uuid.describe("Id of the event."),
    source: z
      .string()
      .describe("Where the event is from: `/project-clients/<id>`; the platform's own begin with `/platform`."),
    type: dottedName.describe("The kind of event, as published."),
    time: dateTime.describe("When it happened; where that is not known, when it was published."),
    datacontenttype: z.literal("application/json").describe("Media type of `data`."),
    publishedtime: dateTime.describe("When the platform recorded it."),
    schemaversion: z.string().describe("Version of the schema that `data` follows."),
    position: z.string().describe("The event's position in the Project Client's log, a whole number."),
    streamid: z.string().optional().describe("The event's stream, where it has one."),
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

/** The calls the platform makes to the endpoints that projects register with POST /scheduled-operations. */
export const webhooks = {
  scheduledCall: {
    summary: "A scheduled operation is due",
    description: "Sent to the registered url at the times an operator has set. Answer 2xx within 15 seconds.",
    mediaType: "application/json",
    body: ScheduledCall,
    examples: {
      due: {
        summary: "A time that is due",
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
      "Sent to the registered url of a scheduled operation that an operator has subscribed to event types. At least once; answer 2xx within 15 seconds. The platform's own events have types that begin with `platform.`: see the examples.",
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
