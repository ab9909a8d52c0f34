import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until `probe` returns something other than false, null or undefined, and returns it. Rejects after `timeoutMs`,
 * one minute by default, with the last error of the probe, if any, even while a probe hangs. The default allows for a
 * busy machine; tests do not measure durations. Tests await conditions with this function; they never sleep for a
 * guessed time.
 */
export async function eventually<T>(
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const { timeoutMs = 60_000, everyMs = 20, what } = options;
  const until = performance.now() + timeoutMs;
  const over = new AbortController();
  const tooLate = delay(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
  let lastError: unknown;
  try {
    do {
      try {
        const value = await Promise.race([probe(), tooLate]);
        if (value !== false && value !== null && value !== undefined) return value;
        lastError = undefined;
      } catch (error) {
        lastError = error;
      }
      await delay(everyMs);
    } while (performance.now() < until);
  } finally {
    over.abort();
  }
  throw new Error(`condition not met in time${what === undefined ? "" : `: ${what}`}`, { cause: lastError });
}
