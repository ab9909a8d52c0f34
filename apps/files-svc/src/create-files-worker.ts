import { channelFollower } from "@platform/quota/follow-channel";
import { repeat } from "@platform/service-kit/jobs/repeat";
import { type RunningService, startService } from "@platform/service-kit/service/start-service";
import type { WorkerConfig } from "./config.ts";
import { inspectionBytesMax } from "./domain/limits.ts";
import { type FilesOverrides, openFilesContext, registerModels } from "./open-files-context.ts";
import { quarantinedChannel } from "./redis/quarantined-files.ts";
import { startClassification } from "./worker/classify-file-objects.ts";
import { expireUploadGrants } from "./worker/expire-upload-grants.ts";
import { payOwedWork } from "./worker/pay-owed-work.ts";
import { releaseBrokenUploads } from "./worker/release-broken-uploads.ts";
import { removeOrphanBlobs } from "./worker/remove-orphan-blobs.ts";
import { watchQuarantine } from "./worker/watch-quarantine.ts";

/** Poll interval for File Objects whose announcement was missed. */
const classifyPollMs = 2_000;
const sweepEveryMs = 5_000;
const orphansEveryMs = 3_600_000;

/** Starts the worker of files-svc: the jobs of src/worker. */
export const createFilesWorker = (config: WorkerConfig, overrides: FilesOverrides = {}): Promise<RunningService> =>
  startService({
    name: "files-svc-worker",
    config,
    overrides,
    openStores: registerModels,
    wire: async (kit) => {
      const context = await openFilesContext(kit, config, inspectionBytesMax, overrides);
      const { logger, files, owedWork, blobs, publicAssets, clock } = context;
      const sweep = (name: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>) =>
        kit.job(repeat(name, everyMs, logger, work));
      const classification = kit.job(startClassification(context, classifyPollMs));
      const follow = channelFollower(config.redis, (error) => logger.warn({ err: error }, "redis subscription failed"));
      const wake = { onMessage: classification.nudge, onSubscribed: classification.nudge };
      kit.onClose(follow(quarantinedChannel, wake).close);
      kit.job(watchQuarantine(context.classifications, kit.metrics, logger));
      sweep("expire-upload-grants", sweepEveryMs, (signal) => expireUploadGrants(files, owedWork, signal));
      sweep("release-broken-uploads", sweepEveryMs, (signal) => releaseBrokenUploads(files, blobs, signal));
      sweep("pay-owed-work", sweepEveryMs, (signal) => payOwedWork(owedWork, signal));
      sweep("remove-orphan-blobs", orphansEveryMs, async (signal) => {
        const count = await removeOrphanBlobs(blobs, files, publicAssets, clock(), signal);
        if (count > 0) logger.info({ job: "remove-orphan-blobs", count }, "orphan bytes removed");
      });
    },
  });
