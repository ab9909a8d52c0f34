import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until `probe` gives something other than false, null or undefined, and returns it. Rejects after `timeoutMs`, one minute by default, with
 * the last error the probe threw, if any, also while a probe hangs. The default is for a machine that others keep busy; a test does not ask how long
 * a thing took. Tests await conditions with this; they never sleep for a guessed time.
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
