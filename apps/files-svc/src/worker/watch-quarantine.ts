import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import { Gauge } from "@prometheus-io/client";
import type { ClassificationStore } from "../store/classification-store.ts";

const everyMs = 10_000;

/**
 * Exports the age of the oldest File Object in quarantine. It rises whatever the reason is: no scanner, no worker, or
 * a file that fails repeatedly.
 */
export function watchQuarantine(
  classifications: Pick<ClassificationStore, "oldestQuarantinedMs">,
  metrics: Metrics,
  logger: Logger,
): RepeatedJob {
  const gauge = new Gauge({
    name: "platform_files_oldest_quarantined_seconds",
    help: "How long the oldest File Object has been in quarantine; 0 when none is.",
    registers: [metrics.registry],
  });
  return repeat("watch-quarantine", everyMs, logger, async () => {
    gauge.set((await classifications.oldestQuarantinedMs()) / 1000);
  });
}
