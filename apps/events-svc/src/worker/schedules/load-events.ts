import { createInterruptibleSleep } from "@platform/service-kit/jobs/interruptible-sleep";
import type { LoggedEvent } from "../../domain/domain-event.ts";

/** Loads an event for the duration of `use`; null when it is missing. */
export type EventLender = <T>(eventId: string, use: (logged: LoggedEvent | null) => Promise<T>) => Promise<T>;

/** Bytes of the events of calls in flight; a body has up to 1 MiB, and a worker makes many calls at once. */
const lentBytesMax = 64 * 1024 * 1024;
/** Events read by one command, which are in memory before their sizes are known. */
const readMax = 16;

type Waiting = { readonly id: string; resolve(logged: LoggedEvent | null): void; reject(error: unknown): void };

/** Reads the events of concurrent calls by one command, within a budget of bytes: further ones are read when some are released. */
export function createEventLender(
  read: (ids: readonly string[]) => Promise<Map<string, LoggedEvent>>,
  bytesMax: number = lentBytesMax,
): EventLender {
  const waiting: Waiting[] = [];
  let lentBytes = 0;
  let isReading = false;
  const { sleep, wake } = createInterruptibleSleep();

  const readAll = async (): Promise<void> => {
    // The calls of one claim begin within a tick.
    await sleep(0);
    while (waiting.length > 0) {
      if (lentBytes >= bytesMax) {
        await sleep(1_000);
        continue;
      }
      const group = waiting.splice(0, readMax);
      try {
        const found = await read([...new Set(group.map(({ id }) => id))]);
        for (const { id, resolve } of group) {
          const logged = found.get(id) ?? null;
          lentBytes += bytesOf(logged);
          resolve(logged);
        }
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isReading = false;
  };
  return async (eventId, use) => {
    const logged = await new Promise<LoggedEvent | null>((resolve, reject) => {
      waiting.push({ id: eventId, resolve, reject });
      if (isReading) return;
      isReading = true;
      void readAll();
    });
    try {
      return await use(logged);
    } finally {
      lentBytes -= bytesOf(logged);
      wake();
    }
  };
}

const bytesOf = (logged: LoggedEvent | null): number => logged?.event.data_json.length ?? 0;
