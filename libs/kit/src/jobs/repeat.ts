import type { Logger } from "../process/logger.ts";
import { jittered, startPollLoop } from "./poll-loop.ts";

/** A periodic job; `stop` waits for the current run. */
export type RepeatedJob = { readonly name: string; stop(): Promise<void> };

/**
 * Runs `work` immediately, and again `everyMs` after the end of each run (± 20 % jitter). Errors are logged and do not
 * stop the job.
 * @param work receives a signal that aborts when the job is stopped
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
