import { channelFollower } from "@platform/quota/follow-channel";
import { repeat } from "@platform/service-kit/jobs/repeat";
import { serveProbes } from "@platform/service-kit/process/health";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { FilesConfig } from "./config.ts";
import { inspectionBytesMax } from "./domain/limits.ts";
import { type FilesOverrides, openFilesContext } from "./open-files-context.ts";
import { quarantinedChannel } from "./redis/quarantined-files.ts";
import { startClassification } from "./worker/classify-file-objects.ts";
import { expireUploadGrants } from "./worker/expire-upload-grants.ts";
import { payOwedWork } from "./worker/pay-owed-work.ts";
import { releaseBrokenUploads } from "./worker/release-broken-uploads.ts";
import { removeOrphanBlobs } from "./worker/remove-orphan-blobs.ts";
import { watchQuarantine } from "./worker/watch-quarantine.ts";

export type FilesWorker = RunningProcess & { readonly probePort: number };

/** Poll interval for File Objects whose announcement was missed. */
const classifyPollMs = 2_000;
const sweepEveryMs = 5_000;
const orphansEveryMs = 3_600_000;

/** Wires the background process of files-svc together and starts it. */
export async function createFilesWorker(config: FilesConfig, overrides: FilesOverrides = {}): Promise<FilesWorker> {
  const context = await openFilesContext(
    config,
    { name: "files-worker", childBytesMax: inspectionBytesMax },
    overrides,
  );
  const { logger, metrics, health, files, owedWork, blobs, publicAssets, clock } = context;
  const classification = startClassification(context, classifyPollMs);
  const follow = channelFollower(config.redis, (error) =>
    logger.warn({ err: error, component: "redis" }, "redis subscription failed"),
  );
  const quarantined = follow(quarantinedChannel, {
    onMessage: classification.nudge,
    onSubscribed: classification.nudge,
  });
  const jobs = [
    watchQuarantine(context.classifications, metrics, logger),
    repeat("expire-upload-grants", sweepEveryMs, logger, (signal) => expireUploadGrants(files, owedWork, signal)),
    repeat("release-broken-uploads", sweepEveryMs, logger, (signal) => releaseBrokenUploads(files, blobs, signal)),
    repeat("pay-owed-work", sweepEveryMs, logger, (signal) => payOwedWork(owedWork, signal)),
    repeat("remove-orphan-blobs", orphansEveryMs, logger, async (signal) => {
      const count = await removeOrphanBlobs(blobs, files, publicAssets, clock(), signal);
      if (count > 0) logger.info({ job: "remove-orphan-blobs", count }, "orphan bytes removed");
    }),
  ];
  const probes = await serveProbes({ host: config.host, port: config.probePort, health, registry: metrics.registry });
  health.setServing(true);
  logger.info({ port: probes.port }, "files-worker ready");
  return {
    logger,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      quarantined.close();
      await Promise.all([classification.stop(), ...jobs.map((job) => job.stop())]);
      await probes.close();
      await context.close();
    },
  };
}
