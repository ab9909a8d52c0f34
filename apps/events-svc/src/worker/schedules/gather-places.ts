import { createRest } from "@platform/service-kit/jobs/rest";

/** Holds a claim back until it is worth its commands. */
export type PlaceGatherer = {
  /** Told that a call is over. */
  placeFreed(): void;
  /** Resolves when the next claim is worth it: at once when the last is long enough ago. */
  gathered(hasBacklog: boolean): Promise<void>;
};

/** Places that make a claim worth it however soon after the last. */
const placesEnough = 96;
/** Least time between claims: with runs waiting for places, and without, in milliseconds. */
const backlogMs = 20;
const idleMs = 4;

/**
 * Claims cost the same few commands whether they take one run or two hundred. Calls end one by one, so without this a busy worker would
 * claim one by one.
 */
export function createPlaceGatherer(): PlaceGatherer {
  let freed = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  const { rest, wake } = createRest();
  return {
    placeFreed: () => {
      freed += 1;
      if (freed >= placesEnough) wake();
    },
    gathered: async (hasBacklog) => {
      const waitMs = lastMs + (hasBacklog ? backlogMs : idleMs) - performance.now();
      if (waitMs > 0 && freed < placesEnough) {
        await rest(waitMs);
      }
      freed = 0;
      lastMs = performance.now();
    },
  };
}
