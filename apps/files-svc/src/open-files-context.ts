import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Health, Logger, Metrics } from "@platform/kit/process/telemetry";
import type { ServiceOverrides } from "@platform/kit/service/start";
import type { MongoConnection } from "@platform/kit/store/schema";
import { createPlatformFacts } from "@platform/operator-plane/platform-events";
import { createRetentionStore, type RetentionStore } from "@platform/operator-plane/retention";
import type { PlatformKit } from "@platform/operator-plane/service";
import type { RedisConnection } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { Gauge } from "@prometheus-io/client";
import type { BlobSettings, WorkerConfig } from "./config.ts";
import { createClamdScanner, type MalwareScanner } from "./content/clamd.ts";
import { createInspectors, type Inspectors } from "./content/inspectors.ts";
import type { BlobStore } from "./store/blobs/blob-store.ts";
import { createFsBlobStore } from "./store/blobs/fs-blob-store.ts";
import { createS3BlobStore } from "./store/blobs/s3-blob-store.ts";
import { type BucketOwnership, createBucketOwnership, ownershipModel } from "./store/bucket-ownership.ts";
import { type BytesRecords, createBytesRecords } from "./store/bytes-records.ts";
import { type ClassificationStore, createClassificationStore } from "./store/classification-store.ts";
import { type CompensationStore, createCompensationStore } from "./store/compensations.ts";
import { createDownloadGrantStore, type DownloadGrantStore, downloadGrantModel } from "./store/download-grants.ts";
import { fileObjectModel } from "./store/file-object-model.ts";
import { createFileObjectStore, type FileObjectStore } from "./store/file-objects.ts";
import { retentionDefaults } from "./store/file-retention.ts";
import { createImagePresetStore, type ImagePresetStore, imagePresetModel } from "./store/image-presets.ts";
import { orphanCandidateModel } from "./store/orphan-candidates.ts";
import { createPublicAssetStore, type PublicAssetStore, publicAssetModels } from "./store/public-assets.ts";

/** Overrides for tests. */
export type FilesOverrides = ServiceOverrides & { readonly wrapBlobs?: (blobs: BlobStore) => BlobStore };

/** Dependencies that the server and the worker of files-svc have in common. */
export type FilesContext = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: () => Date;
  readonly redis: RedisConnection;
  readonly blobs: BlobStore;
  readonly inspectors: Inspectors;
  readonly scanner: MalwareScanner | null;
  readonly files: FileObjectStore;
  readonly records: BytesRecords;
  readonly ownership: BucketOwnership;
  readonly classifications: ClassificationStore;
  readonly compensations: CompensationStore;
  readonly downloadGrants: DownloadGrantStore;
  readonly imagePresets: ImagePresetStore;
  readonly publicAssets: PublicAssetStore;
  readonly retention: RetentionStore;
};

/**
 * Opens the dependencies of files-svc except its database.
 * @param childBytesMax memory of each child process
 */
export async function openFilesContext(
  kit: PlatformKit<ReturnType<typeof registerModels>>,
  config: WorkerConfig,
  childBytesMax: number,
  { wrapBlobs = (blobs) => blobs }: FilesOverrides,
): Promise<FilesContext> {
  const { logger, metrics, health, clock, stores: models, onClose } = kit;
  await mkdir(config.workDirectory, { recursive: true });
  const opened = openBlobStore(config.blobs);
  onClose(opened.close);
  const blobs = wrapBlobs(opened);
  const inspectors = createInspectors(config.inspectors, childBytesMax);
  onClose(inspectors.close);
  const scanner = config.clamdUrl === null ? null : createClamdScanner(config.clamdUrl);
  announceScanner(scanner, logger, metrics, health);
  health.addCheck("blobs", () => blobs.check());
  if (scanner !== null) health.addCheck("clamd", async () => (await scanner.version()) !== "");
  const files = createFileObjectStore(models.fileObjects, clock);
  const records = createBytesRecords(models.fileObjects, models.publicAssets);
  const ownership = createBucketOwnership(models.ownership, blobs, records);
  const redis = kit.connectRedis();
  const facts = createPlatformFacts();
  facts.follow(await kit.watchPlatformEventClients());
  return {
    logger,
    metrics,
    clock,
    redis,
    blobs,
    inspectors,
    scanner,
    files,
    records,
    ownership,
    classifications: createClassificationStore(models.fileObjects, clock, facts),
    compensations: createCompensationStore(
      models.fileObjects,
      blobs,
      createQuota(redis),
      files.countStorageBytes,
      ownership.verify,
      clock,
    ),
    downloadGrants: createDownloadGrantStore(models.downloadGrants, config.keyring, clock),
    imagePresets: createImagePresetStore(models.imagePresets, clock),
    publicAssets: createPublicAssetStore(models.publicAssets, { clock, publicBaseUrl: config.publicBaseUrl }),
    retention: models.retention,
  };
}

/** Registers every model on a connection. The caller has to build their indexes. */
export function registerModels(mongo: MongoConnection) {
  return {
    fileObjects: fileObjectModel(mongo),
    downloadGrants: downloadGrantModel(mongo),
    imagePresets: imagePresetModel(mongo),
    publicAssets: publicAssetModels(mongo),
    ownership: ownershipModel(mongo),
    orphanCandidates: orphanCandidateModel(mongo),
    retention: createRetentionStore(mongo, retentionDefaults),
  };
}

export function openBlobStore(settings: BlobSettings): BlobStore & { close(): void } {
  if (settings.kind === "s3") return createS3BlobStore(settings);
  return { ...createFsBlobStore(resolve(settings.directory)), close: () => {} };
}

/**
 * Reports to operators whether a scanner is configured. A metric always shows this; without a scanner, the readiness
 * check and the log do as well.
 */
function announceScanner(scanner: MalwareScanner | null, logger: Logger, metrics: Metrics, health: Health): void {
  new Gauge({
    name: "platform_files_malware_scanner_configured",
    help: "1 when uploads are scanned by clamd, 0 when CLAMD_URL is unset and none is.",
    registers: [metrics.registry],
  }).set(scanner === null ? 0 : 1);
  if (scanner !== null) return;
  health.addNote("malware-scanner", "not configured (CLAMD_URL is unset): uploads are not scanned");
  logger.warn({ component: "clamd" }, "CLAMD_URL is not set: uploads are not scanned for malware");
}
