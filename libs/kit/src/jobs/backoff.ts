/**
 * Returns for how long refused work is postponed, in milliseconds: half of its age, at least 30 seconds and at most ten
 * minutes. Waits therefore become longer without a counter of attempts.
 */
export function putOffMs(ageMs: number): number {
  return Math.min(putOffMsMax, Math.max(putOffMsMin, ageMs / 2));
}

const putOffMsMin = 30_000;
const putOffMsMax = 600_000;

/** Settings of a backoff. */
export type BackoffRule = {
  /** Wait after the first failure, in milliseconds. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Jitter in both directions: 0.2 is ± 20 %. */
  readonly jitter: number;
};

/**
 * Returns how long to wait before the next attempt: base · 2^(attempts − 1), at most `maxMs`, then varied by the
 * jitter.
 * @param attempts number of attempts so far, at least 1
 * @param random a number in [0, 1)
 */
export function backoffMs(rule: BackoffRule, attempts: number, random: number = Math.random()): number {
  const wait = Math.min(rule.maxMs, rule.baseMs * 2 ** Math.min(attempts - 1, 40));
  return Math.round(wait * (1 + rule.jitter * (2 * random - 1)));
}
