import { timestampDate } from "@bufbuild/protobuf/wkt";
import { isUuid } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { Implementation } from "@platform/kit/rpc/server";
import type { PlatformEvent, PlatformEventService } from "@platform/proto/events/v1/events_service";
import { isTypePattern } from "../domain/type-pattern.ts";
import type { EventPublisher } from "../store/publish-domain-event.ts";

const eventsMax = 1_000;
const keyLengthMax = 500;
const dataBytesMax = 1024 * 1024;

/**
 * Publishes facts that services report, in the logs of the clients that they are about. A call with an invalid event
 * is rejected as a whole, before anything is stored.
 */
export function publishPlatformEvents(
  publisher: EventPublisher,
  clock: () => Date,
): Implementation<typeof PlatformEventService>["publishPlatformEvents"] {
  return async ({ events }) => {
    if (events.length > eventsMax) throw new ServiceError("contract_violation", `At most ${eventsMax} events a call.`);
    for (const event of events) checkEvent(event);
    await Promise.all(
      events.map(({ projectClientId, key, type, dataJson, occurredAt }) =>
        publisher.publishFact(projectClientId, {
          key,
          type,
          data_json: dataJson,
          occurred_at: occurredAt === undefined ? clock() : timestampDate(occurredAt),
        }),
      ),
    );
    return {};
  };
}

/** Rejects events that the log could not store or that nobody could read. */
function checkEvent({ projectClientId, key, type, dataJson }: PlatformEvent): void {
  const problem = !isUuid(projectClientId)
    ? "project_client_id is no UUID"
    : key === "" || key.length > keyLengthMax
      ? `key must have 1 to ${keyLengthMax} characters`
      : type.includes("*") || !isTypePattern(type)
        ? "type is no type of Domain Events"
        : Buffer.byteLength(dataJson) > dataBytesMax
          ? `data_json has at most ${dataBytesMax} bytes`
          : null;
  if (problem !== null) throw new ServiceError("contract_violation", `A platform event is refused: ${problem}.`);
}
