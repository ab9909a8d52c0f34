import { type RepeatedJob, repeat } from "@platform/service-kit/jobs/repeat";
import type { WorkerDeps } from "./worker-deps.ts";

/** Frees deliveries whose worker died, every `everyMs`. */
export function startLeaseSweep(deps: WorkerDeps, everyMs: number): RepeatedJob {
  const { stores, clock, retryRule, metrics, logger } = deps;
  return repeat("sweep-leases", everyMs, logger, async () => {
    const { freed, failed } = await stores.queue.sweepExpiredLeases(clock(), retryRule.attemptsMax);
    if (freed + failed === 0) return;
    metrics.lostLeases.inc(freed + failed);
    logger.warn({ job: "sweep-leases", count: freed + failed }, "deliveries of a lost worker freed");
  });
}
