import { createRest } from "@platform/service-kit/jobs/rest";
import type { LoggedEvent } from "../../domain/domain-event.ts";

/** Lends an event to `use`; null when it is gone. */
export type EventLender = <T>(eventId: string, use: (logged: LoggedEvent | null) => Promise<T>) => Promise<T>;

/** Bytes of events in calls under way; a body has up to 1 MiB, and a worker makes many calls at once. */
const lentBytesMax = 64 * 1024 * 1024;
/** Events read by one command, which are in memory before their sizes are known. */
const readMax = 16;

type Waiting = { readonly id: string; resolve(logged: LoggedEvent | null): void; reject(error: unknown): void };

/**
 * Reads the events of calls that begin together by one command, and lends out at most so many bytes at once: the next ones are read when
 * some are given back.
 */
export function createEventLender(
  read: (ids: readonly string[]) => Promise<Map<string, LoggedEvent>>,
  bytesMax: number = lentBytesMax,
): EventLender {
  const waiting: Waiting[] = [];
  let lentBytes = 0;
  let isReading = false;
  const { rest, wake } = createRest();

  const readAll = async (): Promise<void> => {
    // The calls of one claim begin within a tick.
    await rest(0);
    while (waiting.length > 0) {
      if (lentBytes >= bytesMax) {
        await rest(1_000);
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
