import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until `probe` gives something other than false, null or undefined, and returns it. Rejects after `timeoutMs` with the last error
 * the probe threw, if any. Tests await conditions with this; they never sleep for a guessed time.
 */
export async function eventually<T>(
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const until = Date.now() + (options.timeoutMs ?? 15_000);
  let lastError: unknown;
  do {
    try {
      const value = await probe();
      if (value !== false && value !== null && value !== undefined) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await delay(options.everyMs ?? 20);
  } while (Date.now() < until);
  throw new Error(`condition not met in time${options.what === undefined ? "" : `: ${options.what}`}`, {
    cause: lastError,
  });
}
