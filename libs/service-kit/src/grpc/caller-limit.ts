import { ServiceError } from "../errors/service-error.ts";
import { createSemaphore, type Release } from "../jobs/semaphore.ts";

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
      throw new ServiceError(
        "too_many_concurrent_calls",
        `You have ${most} ${what} open, which is the limit: end one of them, or wait until one has ended.`,
        { details: { limit: most }, retryAfterSeconds: 1 },
      );
    },
  };
}
