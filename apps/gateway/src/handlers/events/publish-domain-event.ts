import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { eventsOperations } from "@platform/contracts/operations/events";
import { timeOrNull } from "@platform/kit/rpc/client";
import type { PreparedHandler } from "../../handler.ts";
import { JsonText } from "../../json-text.ts";

/** Publishes a Domain Event. */
export const publishDomainEvent: PreparedHandler<typeof eventsOperations, "events.publishDomainEvent"> = async (
  { body, call },
  upstreams,
) => {
  const { stream_id, sequence, occurred_at } = body;
  const { event, replayed } = await upstreams.events.events.publishDomainEvent(
    {
      type: body.type,
      schemaVersion: body.schema_version,
      dataJson: body.dataJson,
      ...(stream_id == null || sequence == null ? {} : { streamId: stream_id, sequence: BigInt(sequence) }),
      ...(occurred_at == null ? {} : { occurredAt: timestampFromDate(new Date(occurred_at)) }),
    },
    { ...call, retryUnavailable: true },
  );
  if (event === undefined) throw new Error("events-svc answered without an event");
  return {
    data: {
      id: event.id,
      project_client_id: event.projectClientId,
      type: event.type,
      schema_version: event.schemaVersion,
      // A repeat may write the same JSON differently, so the response to a repeat contains the data of the first
      // request.
      data: new JsonText(replayed ? event.dataJson : body.dataJson),
      stream_id: event.streamId ?? null,
      sequence: event.sequence === undefined ? null : Number(event.sequence),
      occurred_at: timeOrNull(event.occurredAt),
      published_at: timeOrNull(event.publishedAt) ?? "",
    },
    replayed,
  };
};
