import type { Logger } from "../process/logger.ts";
import { jittered, startPollLoop } from "./poll-loop.ts";

/** A periodic job; `stop` waits for the current run. */
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
  const { stop } = startPollLoop({
    round: async (signal) => {
      await work(signal);
      return jittered(everyMs);
    },
    failed: (error) => {
      logger.error({ err: error, job: name }, "job failed");
      return jittered(everyMs);
    },
  });
  return { name, stop };
}
