import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { PlatformEventService } from "@platform/proto/events/v1/events_service";
import { ServiceError } from "@platform/service-kit/errors/service-error";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { EventPublisher } from "../store/publish-domain-event.ts";

const eventsMax = 1_000;

/** Publishes facts of the services into the logs of the clients they are about. */
export function publishPlatformEvents(
  publisher: EventPublisher,
  clock: () => Date,
): Implementation<typeof PlatformEventService>["publishPlatformEvents"] {
  return async ({ events }) => {
    if (events.length > eventsMax) throw new ServiceError("contract_violation", `At most ${eventsMax} events a call.`);
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
