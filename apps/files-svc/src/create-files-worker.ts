import { repeat } from "@platform/kit/jobs/pacing";
import type { Sweep } from "@platform/kit/jobs/work";
import type { RunningService } from "@platform/kit/service/start";
import { createOutbox } from "@platform/kit/store/documents";
import { followErasures } from "@platform/operator-plane/clients";
import { startRetention } from "@platform/operator-plane/retention";
import { startPlatformService } from "@platform/operator-plane/service";
import { channelFollower } from "@platform/quota/follow-channel";
import type { WorkerConfig } from "./config.ts";
import { inspectionBytesMax } from "./domain/limits.ts";
import { type FilesOverrides, openFilesContext, registerModels } from "./open-files-context.ts";
import { quarantinedChannel } from "./redis/quarantined-files.ts";
import { createLinkEraser } from "./store/erase-links.ts";
import { createFileSweeps } from "./store/file-retention.ts";
import { createOrphanCandidates } from "./store/orphan-candidates.ts";
import { startClassification } from "./worker/classify-file-objects.ts";
import { eraseClient } from "./worker/erase-client.ts";
import { expireUploadGrants } from "./worker/expire-upload-grants.ts";
import { releaseBrokenUploads } from "./worker/release-broken-uploads.ts";
import { runCompensations } from "./worker/run-compensations.ts";
import { startOrphanSweep } from "./worker/sweep-orphans.ts";
import { watchQuarantine } from "./worker/watch-quarantine.ts";

/** Interval at which File Objects are searched for whose announcement was missed, in milliseconds. */
const classifyPollMs = 2_000;
const sweepEveryMs = 5_000;
const retentionEveryMs = 3_600_000;

/** Starts the worker of files-svc: the jobs of src/worker. */
export const createFilesWorker = (config: WorkerConfig, overrides: FilesOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "files-svc-worker",
    config,
    overrides,
    openStores: registerModels,
    wire: async (kit) => {
      const context = await openFilesContext(kit, config, inspectionBytesMax, overrides);
      const { logger, files, compensations, blobs, clock } = context;
      const sweep = (name: string, everyMs: number, work: (items: Sweep, signal: AbortSignal) => Promise<void>) => {
        const items = kit.createSweep(name);
        kit.job(repeat(name, everyMs, logger, (signal) => work(items, signal)));
      };
      kit.relayPlatformEvents([createOutbox(kit.stores.fileObjects), createOutbox(kit.stores.publicAssets.assets)]);
      const classification = kit.job(startClassification(context, classifyPollMs));
      const follow = channelFollower(config.redis, (error) =>
        logger.warn({ err: error }, "the Redis subscription failed"),
      );
      const wake = { onMessage: classification.notify, onSubscribed: classification.notify };
      kit.onClose(follow(quarantinedChannel, wake).close);
      kit.job(watchQuarantine(context.classifications, kit.metrics, logger));
      sweep("expire-upload-grants", sweepEveryMs, (items, signal) => expireUploadGrants(files, items, signal));
      sweep("release-broken-uploads", sweepEveryMs, (items, signal) =>
        releaseBrokenUploads(files, blobs, items, signal),
      );
      sweep("run-compensations", sweepEveryMs, (items, signal) => runCompensations(compensations, items, signal));
      const eraseRest = createLinkEraser(kit.stores);
      kit.job(
        followErasures({
          identity: { address: config.identityAddress, tls: config.tls },
          service: "files",
          // Files contain no reference to a person, so the erasure of a person has nothing to remove here.
          erase: async (erasure, signal) =>
            erasure.kind === "client" ? eraseClient({ ...context, eraseRest }, erasure.clientId, signal) : 0,
          logger,
        }),
      );
      const options = {
        everyMs: retentionEveryMs,
        clock,
        logger,
        registry: kit.metrics.registry,
        sweep: kit.createSweep("retention"),
      };
      kit.job(startRetention(context.retention, createFileSweeps(kit.stores.fileObjects), options));
      kit.job(
        startOrphanSweep({
          ...context,
          candidates: createOrphanCandidates(kit.stores.orphanCandidates),
          sweep: kit.createSweep("remove-orphan-blobs"),
          graceMs: config.orphanGraceMs,
        }),
      );
    },
  });
