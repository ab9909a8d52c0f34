import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { WorkerDeps } from "./worker-deps.ts";

/** How long captured messages are kept. */
const keptMs = 7 * 24 * 3_600_000;

/** Removes captured messages after 7 days. */
export function startCapturedRemoval(
  { stores, clock, logger }: Pick<WorkerDeps, "stores" | "clock" | "logger">,
  everyMs: number,
): RepeatedJob {
  return repeat("remove-captured-messages", everyMs, logger, () =>
    stores.captured.removeOlderThan(new Date(clock().getTime() - keptMs)),
  );
}
