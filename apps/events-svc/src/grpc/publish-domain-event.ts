import { dateOrNull } from "@platform/kit/rpc/client";
import { type Implementation, requireIdempotency, requireProjectClient } from "@platform/kit/rpc/server";
import type { DomainEventService } from "@platform/proto/events/v1/events_service";
import type { EventPublisher } from "../store/publish-domain-event.ts";
import { toDomainEventMessage } from "./domain-event-message.ts";

/** Publishes an event of the client that calls. */
export function publishDomainEvent(
  publisher: EventPublisher,
): Implementation<typeof DomainEventService>["publishDomainEvent"] {
  return async (request, call) => {
    const input = {
      type: request.type,
      schema_version: request.schemaVersion,
      data_json: request.dataJson,
      stream_id: request.streamId ?? null,
      sequence: request.sequence === undefined ? null : Number(request.sequence),
      occurred_at: dateOrNull(request.occurredAt),
    };
    const { event, replayed } = await publisher.publish(
      requireProjectClient(call).id,
      input,
      requireIdempotency(call),
      call.correlationId,
    );
    return { event: toDomainEventMessage(event), replayed };
  };
}
