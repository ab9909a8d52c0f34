import { createSemaphore, type Release } from "@platform/kit/jobs/pacing";
import { tooManyConcurrentCalls } from "../operators/operator-request-error.ts";

/** Limits the number of expensive calls that one caller may have open in this process. */
export type CallerLimit = {
  /**
   * Acquires a permit for the caller, and returns the function that releases it.
   * @param caller the id of a machine, or the subject of an operator
   * @throws ServiceError too_many_concurrent_calls
   */
  enter(caller: string): Release;
};

/**
 * @param most maximum number of concurrent calls of one caller
 * @param what name of the calls in the plural, for the message: "streams of events"
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

/** Runs the expensive calls of a caller one after the other in this process. */
export type CallerQueue = {
  /**
   * Runs `work` once the caller's earlier calls have ended.
   * @param signal signal of the call; if it aborts while the call waits, `work` does not run
   * @throws ServiceError too_many_concurrent_calls if too many calls of the caller are waiting
   */
  run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
};

/**
 * @param waitingMost maximum number of waiting calls of one caller
 * @param what name of the calls in the plural, for the message: "searches"
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
