import { setTimeout as delay } from "node:timers/promises";

/** Interval at which logs are polled, in milliseconds. */
const lookEveryMs = 50;

/** Waits for new events on behalf of any number of readers, with one query for all of them. */
export type LogFollower = {
  /**
   * Resolves once the client's log goes beyond a position, after `ms` milliseconds, or when the signal aborts.
   * @throws the error of the store
   */
  waitBeyond(clientId: string, position: number, ms: number, ended: AbortSignal): Promise<void>;
};

type Waiting = {
  readonly clientId: string;
  readonly position: number;
  readonly untilMs: number;
  resolve(): void;
  reject(error: unknown): void;
};

/**
 * Creates the follower of a process: while readers wait, one query every 50 ms reads the ends of all their logs.
 * @param lastPositions reads the last positions of some clients' logs
 */
export function createLogFollower(
  lastPositions: (clientIds: readonly string[]) => Promise<Map<string, number>>,
): LogFollower {
  const waiting = new Set<Waiting>();
  let isLooking = false;

  const look = async (): Promise<void> => {
    try {
      while (waiting.size > 0) {
        await delay(lookEveryMs);
        const asked = [...waiting];
        const last = await lastPositions([...new Set(asked.map(({ clientId }) => clientId))]);
        const nowMs = performance.now();
        for (const reader of asked) {
          if ((last.get(reader.clientId) ?? 0) > reader.position || nowMs >= reader.untilMs) reader.resolve();
        }
      }
    } catch (error) {
      for (const reader of [...waiting]) reader.reject(error);
    }
    isLooking = false;
  };
  return {
    waitBeyond: (clientId, position, ms, ended) =>
      new Promise((resolve, reject) => {
        if (ended.aborted) return resolve();
        const leave = (): void => {
          waiting.delete(reader);
          ended.removeEventListener("abort", reader.resolve);
        };
        const reader: Waiting = {
          clientId,
          position,
          untilMs: performance.now() + ms,
          resolve: () => {
            leave();
            resolve();
          },
          reject: (error) => {
            leave();
            reject(error);
          },
        };
        waiting.add(reader);
        ended.addEventListener("abort", reader.resolve);
        if (isLooking) return;
        isLooking = true;
        void look();
      }),
  };
}
