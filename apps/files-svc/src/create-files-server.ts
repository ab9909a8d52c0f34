import type { RunningService } from "@platform/kit/service/start";
import { startPlatformService } from "@platform/operator-plane/service";
import { createHashThread } from "./bytes/hash-thread.ts";
import type { ServerConfig } from "./config.ts";
import { createPublishImage } from "./content/publish-image.ts";
import { renderingBytesMax, type UploadPace, uploadPace } from "./domain/limits.ts";
import { filesServices } from "./grpc/services.ts";
import { createBytesListener } from "./http/create-bytes-listener.ts";
import { createUploadBudget } from "./http/upload-budget.ts";
import { createUploadMetrics } from "./http/upload-metrics.ts";
import { type FilesOverrides, openFilesContext, registerModels } from "./open-files-context.ts";
import { createAnnounceQuarantined } from "./redis/quarantined-files.ts";
import { resourceOwners } from "./store/resource-owners.ts";
import { searchedCollections } from "./store/searched-collections.ts";

export type FilesServerOverrides = FilesOverrides & { readonly pace?: UploadPace };

/** Starts the server of files-svc: gRPC, and bytes over HTTP. */
export const createFilesServer = (
  config: ServerConfig,
  overrides: FilesServerOverrides = {},
): Promise<RunningService> =>
  startPlatformService({
    name: "files-svc",
    config,
    overrides,
    openStores: registerModels,
    searched: searchedCollections,
    owners: resourceOwners,
    wire: async (kit) => {
      const context = await openFilesContext(kit, config, renderingBytesMax, overrides);
      const { blobs, publicAssets, inspectors } = context;
      const disabledClients = await kit.watchDisabledClients();
      const announceQuarantined = createAnnounceQuarantined(context.redis, kit.logger);
      const hashThread = createHashThread();
      kit.onClose(hashThread.close);
      const bytes = createBytesListener({
        ...context,
        disabledClients,
        pace: overrides.pace ?? uploadPace,
        hashThread,
        leaseMs: config.uploadLeaseMs,
        budget: createUploadBudget(config.uploadBytesMax, blobs.writerBytes, kit.metrics.registry),
        isStopping: () => !kit.health.isServing(),
        metrics: createUploadMetrics(kit.metrics.registry),
        onQuarantined: announceQuarantined,
      });
      // Interrupted uploads are settled here, while the stores are still open.
      kit.onClose(bytes.finished);
      return {
        grpc: filesServices({
          ...context,
          publishImage: createPublishImage(blobs, publicAssets, inspectors, config.workDirectory),
          publicBaseUrl: config.publicBaseUrl,
          announceQuarantined,
        }),
        // Uploads are limited by their minimum rate and not by the server's timeout. A sender may start the body once
        // its token was claimed.
        http: {
          listener: bytes.listen,
          server: { requestTimeout: 0 },
          answersContinue: true,
          drainMs: config.transferDrainMs,
        },
      };
    },
  });
