import { type RunningService, startService } from "@platform/service-kit/service/start-service";
import { createHashThread } from "./bytes/hash-thread.ts";
import type { ServerConfig } from "./config.ts";
import { createPublishImage } from "./content/publish-image.ts";
import { type UploadPace, uploadPace } from "./domain/limits.ts";
import { filesServices } from "./grpc/services.ts";
import { createBytesListener } from "./http/create-bytes-listener.ts";
import { createUploadMetrics } from "./http/upload-metrics.ts";
import { type FilesOverrides, openFilesContext, registerModels } from "./open-files-context.ts";
import { startClassification } from "./worker/classify-file-objects.ts";

export type FilesServerOverrides = FilesOverrides & { readonly pace?: UploadPace };

/** Poll interval for File Objects of other processes; uploads of this process notify the loop. */
const classifyPollMs = 5_000;

/** Starts the server of files-svc: gRPC, bytes over HTTP, and classification of what is uploaded here. */
export const createFilesServer = (
  config: ServerConfig,
  overrides: FilesServerOverrides = {},
): Promise<RunningService> =>
  startService({
    name: "files-svc",
    config,
    overrides,
    openStores: registerModels,
    wire: async (kit) => {
      const context = await openFilesContext(kit, config, overrides);
      const { blobs, publicAssets, inspectors } = context;
      const disabledClients = await kit.watchDisabledClients();
      const classification = kit.job(startClassification(context, classifyPollMs));
      const hashThread = createHashThread();
      kit.onClose(hashThread.close);
      const listener = createBytesListener({
        ...context,
        disabledClients,
        pace: overrides.pace ?? uploadPace,
        hashThread,
        leaseMs: config.uploadLeaseMs,
        metrics: createUploadMetrics(kit.metrics.registry),
        onQuarantined: classification.nudge,
      });
      return {
        grpc: filesServices(
          {
            ...context,
            publishImage: createPublishImage(blobs, publicAssets, inspectors, config.workDirectory),
            publicBaseUrl: config.publicBaseUrl,
            classifyNow: classification.nudge,
          },
          config.operatorToken,
        ),
        // Uploads are limited by their minimum rate, not by the server's time-out. A body may be sent once its token was claimed.
        http: { listener, server: { requestTimeout: 0 }, answersContinue: true },
      };
    },
  });
