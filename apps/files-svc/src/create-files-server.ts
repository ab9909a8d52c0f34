import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { FilesService, QuotaLevelService } from "@platform/proto/files/v1/files_service";
import { channelFollower } from "@platform/quota/follow-channel";
import { watchDisabledClients } from "@platform/service-kit/clients/disabled-clients";
import { gatewayOrOperatorGuard, operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, serveGrpc } from "@platform/service-kit/grpc/serve";
import { serveHttp } from "@platform/service-kit/http/serve-http";
import { serveProbes } from "@platform/service-kit/process/health";
import { closeMsMax, type RunningProcess } from "@platform/service-kit/process/run";
import { traceServed } from "@platform/service-kit/tracing/served-spans";
import { createHashThread } from "./bytes/hash-thread.ts";
import type { FilesServerConfig } from "./config.ts";
import { createPublishImage } from "./content/publish-image.ts";
import { renderingBytesMax, type UploadPace, uploadPace } from "./domain/limits.ts";
import { createImagePreset } from "./grpc/admin/create-image-preset.ts";
import { getFileObject } from "./grpc/admin/get-file-object.ts";
import { listImagePresets } from "./grpc/admin/list-image-presets.ts";
import { completeFileObject } from "./grpc/complete-file-object.ts";
import { createDownloadGrant } from "./grpc/create-download-grant.ts";
import { createPublicAsset } from "./grpc/create-public-asset.ts";
import { createUploadGrant } from "./grpc/create-upload-grant.ts";
import { getMalwareScanner } from "./grpc/get-malware-scanner.ts";
import { getQuotaLevel } from "./grpc/get-quota-level.ts";
import { createBytesListener } from "./http/create-bytes-listener.ts";
import { createUploadBudget } from "./http/upload-budget.ts";
import { createUploadMetrics } from "./http/upload-metrics.ts";
import { type FilesOverrides, openFilesContext } from "./open-files-context.ts";
import { createAnnounceQuarantined } from "./redis/quarantined-files.ts";

export type FilesServer = RunningProcess & {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly probePort: number;
};

export type FilesServerOverrides = FilesOverrides & { readonly pace?: UploadPace };

/** Uploads are limited by their minimum rate, not by the server's request timeout. */
const httpOptions = { requestTimeout: 0 };

/** Wires the serving process of files-svc together and starts it: gRPC, and bytes over HTTP. */
export async function createFilesServer(
  config: FilesServerConfig,
  overrides: FilesServerOverrides = {},
): Promise<FilesServer> {
  const context = await openFilesContext(config, { name: "files-svc", childBytesMax: renderingBytesMax }, overrides);
  const { logger, metrics, health, files, downloadGrants, imagePresets, publicAssets, blobs, inspectors } = context;
  const { publicBaseUrl } = config;
  const disabledClients = await watchDisabledClients({
    identity: { address: config.identityAddress, tls: config.tls },
    follow: channelFollower(config.redis, (error) =>
      logger.warn({ err: error, component: "redis" }, "redis subscription failed"),
    ),
    logger,
  });
  const publishImage = createPublishImage(blobs, publicAssets, inspectors, config.workDirectory);
  const announceQuarantined = createAnnounceQuarantined(context.redis, logger);

  const grpc = await serveGrpc({
    host: config.host,
    port: config.grpcPort,
    tls: config.tls,
    logger,
    metrics,
    health,
    services: [
      implement(FilesService, {
        createUploadGrant: createUploadGrant(files),
        completeFileObject: completeFileObject(files, announceQuarantined),
        createDownloadGrant: createDownloadGrant(files, downloadGrants, publicBaseUrl),
        createPublicAsset: createPublicAsset({ files, imagePresets, publicAssets, publishImage, publicBaseUrl }),
        getMalwareScanner: getMalwareScanner(context.scanner),
      }),
      implement(
        QuotaLevelService,
        { getQuotaLevel: getQuotaLevel(files) },
        gatewayOrOperatorGuard(config.operatorToken),
      ),
      implement(
        FilesAdminService,
        {
          createImagePreset: createImagePreset(imagePresets),
          listImagePresets: listImagePresets(imagePresets),
          getFileObject: getFileObject(files),
        },
        operatorGuard(config.operatorToken),
      ),
    ],
  });
  const hashThread = createHashThread();
  const bytes = createBytesListener({
    ...context,
    disabledClients,
    pace: overrides.pace ?? uploadPace,
    hashThread,
    leaseMs: config.uploadLeaseMs,
    budget: createUploadBudget(config.uploadBytesMax, blobs.writerBytes, metrics.registry),
    isStopping: () => !health.isServing(),
    metrics: createUploadMetrics(metrics.registry),
    onQuarantined: announceQuarantined,
  });
  const serveBytes = traceServed(bytes.listen);
  const http = await serveHttp(serveBytes, {
    host: config.host,
    port: config.httpPort,
    server: httpOptions,
    // Without this, Node would say 100 Continue before the token was claimed.
    configure: (server) => server.on("checkContinue", serveBytes),
  });
  const probes = await serveProbes({ host: config.host, port: config.probePort, health, registry: metrics.registry });
  health.setServing(true);
  logger.info({ port: grpc.port }, "files-svc ready");

  return {
    logger,
    closeMsMax: closeMsMax(config.transferDrainMs),
    grpcPort: grpc.port,
    httpPort: http.port,
    probePort: probes.port,
    stopServing: () => {
      health.setServing(false);
      http.drain();
    },
    close: async () => {
      await Promise.all([http.close(config.transferDrainMs), grpc.close()]);
      await bytes.finished();
      await hashThread.close();
      await disabledClients.close();
      await probes.close();
      await context.close();
    },
  };
}
