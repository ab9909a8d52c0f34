/**
 * A period in which the process under test did not respond even to its liveness probe, in milliseconds of
 * `performance.now()`.
 */
export type Pause = { readonly fromMs: number; readonly toMs: number };

/** Failures that follow one another within this time belong to one outage. */
const gapMs = 5_000;
/** Requests may fail for this long after a pause, because their deadlines passed during it. */
const afterPauseMs = 5_000;

/**
 * Computes from the times of failed attempts how long requests failed.
 * @param failedAtMs times in ascending order
 * @param fromMs earliest time at which requests could succeed again
 * @returns seconds from then to the end of the outage, and the seconds at which attempts failed again later although
 * the process was responding
 */
export function readFailures(
  failedAtMs: readonly number[],
  fromMs: number,
  pauses: readonly Pause[],
): { readonly recoverySeconds: number; readonly laterSeconds: readonly number[] } {
  let endMs = fromMs;
  const laterSeconds: number[] = [];
  for (const atMs of failedAtMs) {
    if (atMs <= fromMs) continue;
    if (atMs - endMs <= gapMs && laterSeconds.length === 0) endMs = atMs;
    else if (!pauses.some((pause) => atMs >= pause.fromMs && atMs <= pause.toMs + afterPauseMs))
      laterSeconds.push((atMs - fromMs) / 1_000);
  }
  return { recoverySeconds: (endMs - fromMs) / 1_000, laterSeconds };
}
