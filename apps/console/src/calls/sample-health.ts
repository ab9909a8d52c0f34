import { type PollLoop, startPollLoop } from "@platform/kit/jobs/pacing";
import type { Logger } from "@platform/kit/process/telemetry";

const everyMs = 60_000;

/**
 * Records the health of the platform now, and then in each minute. The waits have no jitter and do not depend on how long a sample takes, because the history
 * counts the minutes of a day.
 */
export function startSampling(sample: () => Promise<void>, logger: Logger): Pick<PollLoop, "stop"> {
  const startedAtMs = performance.now();
  const untilNextMs = (): number => everyMs - ((performance.now() - startedAtMs) % everyMs);
  return startPollLoop({
    round: async () => {
      await sample();
      return untilNextMs();
    },
    failed: (error) => {
      logger.warn({ err: error }, "the health of the platform could not be recorded");
      return untilNextMs();
    },
  });
}
