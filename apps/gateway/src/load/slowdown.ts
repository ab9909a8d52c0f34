/** Says how much longer requests take than they would if nothing were queued in front of them, here or behind. */
export type Slowdown = {
  /** A request of the operation was done well within so many milliseconds. */
  observe(operation: string, ms: number): void;
  /** Mean ratio of the time taken to the time it takes at best, since this was last asked; 1 when nothing was done. */
  judge(): number;
};

type Timing = { bestMs: number; sumMs: number; count: number };

/** How fast the best time is forgotten with each judgement: a tenth in a second at one each 50 ms, so that it follows what changes for good. */
const forgetting = 1.005;

/** Times below this differ for no reason that matters. */
const leastMs = 1;

/** Each operation is compared with itself only: what one takes says nothing about another. */
export function createSlowdown(): Slowdown {
  const timings = new Map<string, Timing>();
  return {
    observe: (operation, ms) => {
      let timing = timings.get(operation);
      if (timing === undefined) {
        timing = { bestMs: Number.POSITIVE_INFINITY, sumMs: 0, count: 0 };
        timings.set(operation, timing);
      }
      timing.sumMs += ms;
      timing.count += 1;
    },
    judge: () => {
      let ratios = 0;
      let count = 0;
      for (const timing of timings.values()) {
        if (timing.count === 0) continue;
        const meanMs = Math.max(leastMs, timing.sumMs / timing.count);
        timing.bestMs = Math.min(timing.bestMs * forgetting, meanMs);
        ratios += (meanMs / timing.bestMs) * timing.count;
        count += timing.count;
        timing.sumMs = 0;
        timing.count = 0;
      }
      return count === 0 ? 1 : ratios / count;
    },
  };
}
