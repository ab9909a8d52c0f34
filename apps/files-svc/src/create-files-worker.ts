import { repeat } from "@platform/service-kit/jobs/repeat";
import { type RunningService, startService } from "@platform/service-kit/service/start-service";
import type { WorkerConfig } from "./config.ts";
import { type FilesOverrides, openFilesContext, registerModels } from "./open-files-context.ts";
import { startClassification } from "./worker/classify-file-objects.ts";
import { expireUploadGrants } from "./worker/expire-upload-grants.ts";
import { failAbandonedUploads } from "./worker/fail-abandoned-uploads.ts";
import { payOwedWork } from "./worker/pay-owed-work.ts";
import { removeOrphanBlobs } from "./worker/remove-orphan-blobs.ts";

/** Classification is the server's; the worker takes over what a server left. */
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
      const context = await openFilesContext(kit, config, overrides);
      const { logger, files, owedWork, blobs, publicAssets, clock } = context;
      const sweep = (name: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>) =>
        kit.job(repeat(name, everyMs, logger, work));
      kit.job(startClassification(context, classifyPollMs));
      sweep("expire-upload-grants", sweepEveryMs, (signal) => expireUploadGrants(files, owedWork, signal));
      sweep("fail-abandoned-uploads", sweepEveryMs, (signal) => failAbandonedUploads(files, owedWork, signal));
      sweep("pay-owed-work", sweepEveryMs, (signal) => payOwedWork(owedWork, signal));
      sweep("remove-orphan-blobs", orphansEveryMs, async (signal) => {
        const count = await removeOrphanBlobs(blobs, files, publicAssets, clock(), signal);
        if (count > 0) logger.info({ job: "remove-orphan-blobs", count }, "orphan bytes removed");
      });
    },
  });
