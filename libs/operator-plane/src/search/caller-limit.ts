import { createSemaphore, type Release } from "@platform/kit/jobs/pacing";
import { tooManyConcurrentCalls } from "../operators/operator-request-error.ts";

/** Limits how many expensive calls one caller has open in this process. */
export type CallerLimit = {
  /**
   * Takes a place of the caller, until it is released.
   * @param caller the id of a machine, or the subject of an operator
   * @throws ServiceError too_many_concurrent_calls
   */
  enter(caller: string): Release;
};

/**
 * @param most calls of one caller at the same time
 * @param what the calls in the plural, for the message: "streams of events"
 */
export function createCallerLimit(most: number, what: string): CallerLimit {
  const places = createSemaphore({ total: Number.POSITIVE_INFINITY, by: { caller: () => most } });
  return {
    enter: (caller) => {
      const release = places.tryAcquire({ caller });
      if (release !== null) return release;
      throw tooManyConcurrentCalls(most, what);
    },
  };
}

/** Runs one expensive call of a caller after the other in this process. */
export type CallerQueue = {
  /**
   * Runs `work` once the caller's earlier calls have ended.
   * @param signal of the call; when it aborts while the call waits, `work` does not begin
   * @throws ServiceError too_many_concurrent_calls when the caller has too many calls waiting
   */
  run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

/**
 * @param waitingMost calls of one caller that may wait
 * @param what the calls in the plural, for the message: "searches"
 */
export function createCallerQueue(waitingMost: number, what: string): CallerQueue {
  const places = createCallerLimit(waitingMost + 1, what);
  const last = new Map<string, Promise<unknown>>();
  return {
    run: async (caller, signal, work) => {
      const release = places.enter(caller);
      const before = last.get(caller);
      const running = (async () => {
        await before;
        signal.throwIfAborted();
        return work();
      })();
      const ended = running.catch(() => undefined);
      last.set(caller, ended);
      try {
        return await running;
      } finally {
        release();
        if (last.get(caller) === ended) last.delete(caller);
      }
    },
  };
}
