import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { WorkerDeps } from "./worker-deps.ts";

/** Frees deliveries whose worker died, every `everyMs`. */
export function startLeaseSweep(deps: WorkerDeps, everyMs: number): RepeatedJob {
  const { queue, retryRule, metrics, logger } = deps;
  return repeat("sweep-leases", everyMs, logger, async () => {
    const count = await queue.sweepExpiredLeases(retryRule.attemptsMax);
    if (count === 0) return;
    metrics.lostLeases.inc(count);
    logger.warn({ job: "sweep-leases", count }, "the deliveries of a lost worker were released");
  });
}
