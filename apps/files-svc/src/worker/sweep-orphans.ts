import { randomUUID } from "node:crypto";
import { type RepeatedJob, repeat } from "@platform/kit/jobs/pacing";
import type { Metrics } from "@platform/kit/process/telemetry";
import { Counter, Gauge } from "@prometheus-io/client";
import { type BucketOwnership, type StopReason, stopReasons } from "../store/bucket-ownership.ts";
import { type OrphanSweepOptions, removeOrphanBlobs } from "./remove-orphan-blobs.ts";

/** Interval at which the marker is checked, in milliseconds. Only one of all replicas sweeps, once an hour. */
const lookEveryMs = 60_000;
/**
 * How long a process removes nothing after its start, in milliseconds, so that a wrong configuration can be noticed
 * and corrected.
 */
const settlingMs = 3_600_000;

/**
 * Sweeps orphans while the bucket is proven to belong to this database. Metrics show why it does not sweep otherwise.
 */
export function startOrphanSweep(
  options: Omit<OrphanSweepOptions, "ownership" | "process" | "mayRemove"> & {
    readonly ownership: BucketOwnership;
    readonly metrics: Metrics;
    /** Shorter intervals for tests. */
    readonly everyMs?: number;
    /** Milliseconds by a clock that never jumps, unlike that of the database. */
    readonly steadyMs?: () => number;
  },
): RepeatedJob {
  const { ownership, clock, logger, metrics, steadyMs = () => performance.now() } = options;
  const process = randomUUID();
  const startedAtMs = steadyMs();
  const { registry } = metrics;
  const stoppedGauge = new Gauge({
    name: "platform_files_orphan_sweep_stopped",
    help: "1 while orphan bytes are not removed for a reason, else 0.",
    labelNames: ["reason"],
    registers: [registry],
  });
  const orphans = new Gauge({
    name: "platform_files_orphans",
    help: "Stored objects without a record that needs them, as the last sweep found.",
    registers: [registry],
  });
  const removedTotal = new Counter({
    name: "platform_files_orphans_removed_total",
    help: "Orphan objects removed.",
    registers: [registry],
  });
  let shown: StopReason | null = null;
  const show = (reason: StopReason | null): void => {
    for (const one of stopReasons) stoppedGauge.set({ reason: one }, one === reason ? 1 : 0);
    if (reason !== null && reason !== shown)
      logger.error({ job: "remove-orphan-blobs", reason }, "orphan bytes are not removed; see docs/files.md");
    shown = reason;
  };

  return repeat("remove-orphan-blobs", options.everyMs ?? lookEveryMs, logger, async (signal) => {
    const problem = await ownership.verify();
    if (problem !== null) return show(problem);
    if (await ownership.begin(process, clock())) {
      const mayRemove = steadyMs() - startedAtMs >= settlingMs;
      const result = await removeOrphanBlobs({ ...options, process, mayRemove }, signal);
      if (result !== null) {
        removedTotal.inc(result.removed);
        await ownership.end(process, clock(), result);
        if (result.removed > 0)
          logger.info({ job: "remove-orphan-blobs", count: result.removed }, "orphan bytes were removed");
      }
    }
    const state = await ownership.state();
    orphans.set(state.orphans);
    show(state.stopped);
  });
}
