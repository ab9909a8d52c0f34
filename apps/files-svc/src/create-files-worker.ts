import { repeat } from "@platform/service-kit/jobs/repeat";
import { serveProbes } from "@platform/service-kit/process/health";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { FilesConfig } from "./config.ts";
import { type FilesOverrides, openFilesContext } from "./open-files-context.ts";
import { startClassification } from "./worker/classify-file-objects.ts";
import { expireUploadGrants } from "./worker/expire-upload-grants.ts";
import { failAbandonedUploads } from "./worker/fail-abandoned-uploads.ts";
import { payOwedWork } from "./worker/pay-owed-work.ts";
import { removeOrphanBlobs } from "./worker/remove-orphan-blobs.ts";

export type FilesWorker = RunningProcess & { readonly probePort: number };

/** Classification is the server's; the worker takes over what a server left. */
const classifyPollMs = 2_000;
const sweepEveryMs = 5_000;
const orphansEveryMs = 3_600_000;

/** Wires the background process of files-svc together and starts it. */
export async function createFilesWorker(config: FilesConfig, overrides: FilesOverrides = {}): Promise<FilesWorker> {
  const context = await openFilesContext(config, "files-worker", overrides);
  const { logger, metrics, health, files, owedWork, blobs, publicAssets, clock } = context;
  const classification = startClassification(context, classifyPollMs);
  const jobs = [
    repeat("expire-upload-grants", sweepEveryMs, logger, (signal) => expireUploadGrants(files, owedWork, signal)),
    repeat("fail-abandoned-uploads", sweepEveryMs, logger, (signal) => failAbandonedUploads(files, owedWork, signal)),
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
      await Promise.all([classification.stop(), ...jobs.map((job) => job.stop())]);
      await probes.close();
      await context.close();
    },
  };
}
