import type { Logger } from "../process/logger.ts";
import { createInterruptibleSleep } from "./interruptible-sleep.ts";

/** A periodic job; `stop` waits for the present run. */
export type RepeatedJob = { readonly name: string; stop(): Promise<void> };

/**
 * Runs `work` now and `everyMs` after each end (± 20 % jitter). Errors are logged, and it runs again.
 * @param work its signal aborts when the job is stopped
 */
export function repeat(
  name: string,
  everyMs: number,
  logger: Logger,
  work: (signal: AbortSignal) => Promise<void>,
): RepeatedJob {
  const stopping = new AbortController();
  const { signal } = stopping;
  const { sleep } = createInterruptibleSleep(signal);
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      await work(signal).catch((error: unknown) => logger.error({ err: error, job: name }, "job failed"));
      await sleep(everyMs * (0.8 + 0.4 * Math.random()));
    }
  };
  const done = loop();
  return {
    name,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
}
