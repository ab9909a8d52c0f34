import type { MeasurementRecorder } from "@platform/service-kit/jobs/measurement-recorder";
import { type RepeatedJob, repeat } from "@platform/service-kit/jobs/repeat";
import type { Logger } from "@platform/service-kit/process/logger";
import { measurementKey } from "@platform/service-kit/process/measurement";
import { progressOf } from "../store/consumer-positions.ts";
import type { EventsModels } from "../store/models.ts";
import { lastPosition } from "../store/read-events.ts";

const everyMs = 60_000;
const pageSize = 200;

/** Keeps a history of how far each consumer is behind its client's log, for the console. */
export function startConsumerMeasurement(
  models: Pick<EventsModels, "consumers" | "consumerPositions" | "event">,
  { measure, logger }: { readonly measure: Pick<MeasurementRecorder, "set">; readonly logger: Logger },
): RepeatedJob {
  const measurePage = async (cursor: string): Promise<string> => {
    const { items, nextCursor } = await models.consumers.list(null, { limit: pageSize, cursor });
    const consumers = items.filter(({ revoked_at }) => revoked_at === null);
    const ids = consumers.map(({ id }) => id);
    const progress = await progressOf(models.consumerPositions, ids);
    for (const { id, bound_to: clientId } of consumers) {
      const lag = (await lastPosition(models.event, clientId)) - (progress.get(id)?.sentTo ?? 0);
      measure.set(clientId, measurementKey("consumer_lag", { consumer: id }), Math.max(0, lag));
    }
    return nextCursor;
  };
  return repeat("measure-consumers", everyMs, logger, async (signal) => {
    for (let cursor = await measurePage(""); cursor !== "" && !signal.aborted; ) cursor = await measurePage(cursor);
  });
}
