import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import type { DomainEventSchema } from "@platform/proto/events/v1/events_service";
import type { DomainEvent } from "../domain/domain-event.ts";

/** Encodes a Domain Event. */
export function toDomainEventMessage(event: DomainEvent): MessageInitShape<typeof DomainEventSchema> {
  return {
    id: event.id,
    projectClientId: event.project_client_id,
    type: event.type,
    schemaVersion: event.schema_version,
    dataJson: event.data_json,
    ...defined({ streamId: event.stream_id }),
    ...(event.sequence === null ? {} : { sequence: BigInt(event.sequence) }),
    ...optionalTimestamp("occurredAt", event.occurred_at),
    publishedAt: timestampFromDate(event.published_at),
    ...(event.origin === "client" ? {} : { origin: event.origin }),
  };
}
