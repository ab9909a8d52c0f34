import type { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { EventModels } from "../store/domain-event-model.ts";
import { eventsAfter, lastPosition } from "../store/read-events.ts";
import { toDomainEventMessage } from "./domain-event-message.ts";

/** Longest wait for new events between two looks, in milliseconds. */
const lookEveryMs = 50;
/** A filtered reader is told where it stands after this many events that were not for it, so that it need not read them again. */
const checkpointEvery = 1_000;

/**
 * Streams a client's log. The transport asks for the next event only when the reader has taken the last ones, so a slow reader holds
 * back its own reading and nothing else.
 * @param closing aborts when the server stops: the stream then ends, and its reader resumes elsewhere
 */
export function readEvents(
  models: EventModels,
  closing: AbortSignal,
): Implementation<typeof DomainEventConsumerService>["readEvents"] {
  return async function* ({ projectClientId, afterPosition, types }, call) {
    const wanted = types.length === 0 ? null : new Set(types);
    const ended = AbortSignal.any([call.signal, closing]);
    let position = Number(afterPosition ?? 0);
    if (afterPosition === undefined) {
      position = await lastPosition(models, projectClientId);
      // Tells the reader where it began, so that it misses nothing if it has to resume before the first event.
      yield { position: BigInt(position) };
    }
    let told = position;
    while (!ended.aborted) {
      const before = position;
      for await (const logged of eventsAfter(models, projectClientId, position)) {
        if (ended.aborted) return;
        position = logged.position;
        const isWanted = wanted === null || wanted.has(logged.event.type);
        if (!isWanted && position - told < checkpointEvery) continue;
        told = position;
        yield { position: BigInt(position), ...(isWanted ? { event: toDomainEventMessage(logged.event) } : {}) };
      }
      if (position === before) await waitFor(lookEveryMs, ended);
    }
  };
}

function waitFor(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ended.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      ended.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    ended.addEventListener("abort", done);
  });
}
