/** Result of one run of a load. */
export type LoadSample = {
  /** Number of responses, including refusals. */
  readonly count: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Unsuccessful responses by status or kind of failure. */
  readonly refusals: Readonly<Record<string, number>>;
};

/** Returns the value at the given quantile of the sorted values. */
export const quantile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** Collects latencies in milliseconds without an allocation for each. */
export function createLatencies() {
  let values = new Float64Array(1 << 16);
  let count = 0;
  const sorted = (): Float64Array => values.slice(0, count).sort();
  return {
    add: (ms: number): void => {
      if (count === values.length) {
        const larger = new Float64Array(values.length * 2);
        larger.set(values);
        values = larger;
      }
      values[count] = ms;
      count += 1;
    },
    quantile: (share: number): number => quantile(sorted(), share),
    sample: (durationMs: number, refusals: Readonly<Record<string, number>>): LoadSample => {
      const all = sorted();
      const [p50Ms, p99Ms, maxMs] = [quantile(all, 0.5), quantile(all, 0.99), quantile(all, 1)];
      return { count, perSecond: count / (durationMs / 1_000), p50Ms, p99Ms, maxMs, refusals };
    },
  };
}

/** Creates the sample of work of which only the total is known: a number of units in a measured time. */
export function rateOf(count: number, durationMs: number): LoadSample {
  return { count, perSecond: count / (durationMs / 1_000), p50Ms: 0, p99Ms: 0, maxMs: 0, refusals: {} };
}

/**
 * Keeps `concurrency` calls of `once` in flight for `durationMs`. This is the closed loop for all loads other than
 * HTTP.
 * @param limit number of calls after which it ends early
 */
export async function runClosedLoop(options: {
  readonly concurrency: number;
  readonly durationMs: number;
  readonly once: (index: number) => Promise<unknown>;
  readonly limit?: number;
}): Promise<LoadSample> {
  const latencies = createLatencies();
  const refusals: Record<string, number> = {};
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + options.durationMs;
  const limit = options.limit ?? Number.POSITIVE_INFINITY;
  let index = 0;
  const drive = async (): Promise<void> => {
    while (index < limit) {
      const sentAtMs = performance.now();
      if (sentAtMs >= endsAtMs) return;
      try {
        index += 1;
        await options.once(index - 1);
      } catch (error) {
        const name = String((error as { code?: unknown }).code ?? (error as Error).message);
        refusals[name] = (refusals[name] ?? 0) + 1;
        if (refusals[name] > 1_000) return;
      }
      latencies.add(performance.now() - sentAtMs);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, drive));
  return latencies.sample(performance.now() - startedAtMs, refusals);
}
