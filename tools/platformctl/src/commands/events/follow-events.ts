import { setTimeout as delay } from "node:timers/promises";
import { isServiceError } from "@platform/kit/rpc/errors";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import type { DomainEvent } from "@platform/proto/events/v1/events_service";
import type { Ctl } from "../../ctl.ts";

const reconnectMs = 500;
/** If a stream is rejected within this time, it never had a valid assertion. If it is rejected later, its assertion has expired. */
const assertionMsMin = 5_000;

type Following = {
  readonly client: string;
  /** Position after which reading starts; if undefined, it starts with the next event that is published. */
  readonly from: number | undefined;
  readonly types: readonly string[];
  readonly limit: number;
  /** Reading ends at this position; if undefined, it waits for new events. */
  readonly end?: number | undefined;
};

/**
 * Reads events until the limit, the end or a signal. When the server ends or the assertion expires, it continues from the last position, at another
 * server or with a new assertion.
 */
export async function followEvents(
  ctl: Ctl,
  { client, from, types, limit, end = Number.POSITIVE_INFINITY }: Following,
  stop: AbortController,
  onEvent: (position: number, event: DomainEvent) => Promise<void> | void,
): Promise<void> {
  const consumer = ctl.consumerConnection().service(DomainEventConsumerService);
  let position = from;
  let count = 0;
  let hasRead = false;
  const isOver = () => count >= limit || (position ?? 0) >= end || stop.signal.aborted;
  while (!isOver()) {
    const { context } = ctl.call();
    const startedAtMs = performance.now();
    const request = { projectClientId: client, types: [...types] };
    const stream = consumer.readEvents(
      position === undefined ? request : { ...request, afterPosition: BigInt(position) },
      { context, signal: stop.signal },
    );
    try {
      for await (const answer of stream) {
        hasRead = true;
        position = Number(answer.position);
        if (answer.event !== undefined) {
          await onEvent(position, answer.event);
          count += 1;
        }
        if (isOver()) break;
      }
      if (!isOver()) await delay(reconnectMs);
    } catch (error) {
      // The command waits only for a server that it has reached before. It reports a wrong address or token immediately.
      const isLost = hasRead && isServiceError(error, "dependency_unavailable");
      // The next call requests a new assertion, which is rejected once the sign-in has ended.
      const isExpired = isServiceError(error, "unauthenticated") && performance.now() - startedAtMs >= assertionMsMin;
      if (!isLost && !isExpired) throw error;
      await delay(reconnectMs);
    }
  }
  stop.abort();
}

/** Aborts on a signal to end the process. */
export function stopOnSignal(): AbortController {
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  return stop;
}
