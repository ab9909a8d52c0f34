import { timestampDate } from "@bufbuild/protobuf/wkt";
import { parseExactly } from "@platform/contracts/exact-json";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";

/** Formats an event as the public API does, and adds `origin` if the platform published it. */
export function envelope(event: DomainEvent) {
  return {
    id: event.id,
    project_client_id: event.projectClientId,
    type: event.type,
    schema_version: event.schemaVersion,
    data: parseExactly(event.dataJson),
    stream_id: event.streamId ?? null,
    sequence: event.sequence === undefined ? null : Number(event.sequence),
    occurred_at: event.occurredAt === undefined ? null : timestampDate(event.occurredAt).toISOString(),
    published_at: event.publishedAt === undefined ? null : timestampDate(event.publishedAt).toISOString(),
    ...(event.origin === "" ? {} : { origin: event.origin }),
  };
}
