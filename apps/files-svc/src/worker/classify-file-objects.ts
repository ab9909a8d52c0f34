import { createSemaphore, repeat, type Taken } from "@platform/kit/jobs/pacing";
import { type JobLoop, startJobLoop } from "@platform/kit/jobs/work";
import type { Logger, Metrics } from "@platform/kit/process/telemetry";
import type { MalwareScanner } from "../content/clamd.ts";
import type { Inspection } from "../content/inspect-file.ts";
import { InspectorDied, type Inspectors } from "../content/inspectors.ts";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import { type Classification, type FileObject, isImageContentType, type MalwareScan } from "../domain/file-object.ts";
import { classificationsAtOnce } from "../domain/limits.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import {
  type ClassificationClaim,
  type ClassificationStore,
  classificationLeaseMs,
} from "../store/classification-store.ts";
import type { CompensationStore } from "../store/compensations.ts";

export type ClassifyDependencies = {
  readonly classifications: ClassificationStore;
  readonly compensations: CompensationStore;
  readonly blobs: BlobStore;
  readonly inspectors: Inspectors;
  /** Null if no scanner is configured. Every scan record then shows this. */
  readonly scanner: MalwareScanner | null;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

/** Maximum number of concurrent classifications of one client. One permit is reserved for clients that have none. */
const perClientMax = classificationsAtOnce - 1;
/** Number of inspectors that a file may kill before it is rejected. */
const deathsMax = 3;

/**
 * Classifies quarantined File Objects under a lease, so that each is decided only once, with any number of workers.
 * Clients without a running classification come first, and no client can use all permits.
 */
export function startClassification(dependencies: ClassifyDependencies, pollMs: number): JobLoop {
  const { classifications, logger, metrics } = dependencies;
  const permits = createSemaphore({ total: classificationsAtOnce, by: { client: () => perClientMax } });
  const claimNext = async (): Promise<ClassificationClaim | null> => {
    const running = permits.keysHeld("client");
    const full = running.filter((clientId) => permits.freeFor("client", clientId) === 0);
    const others = running.length > full.length ? await classifications.claimNext(running) : null;
    return others ?? (await classifications.claimNext(full));
  };
  const loop = startJobLoop<Taken<ClassificationClaim>>({
    name: "classify-file-objects",
    logger,
    concurrency: classificationsAtOnce,
    pollMs,
    claim: async () => {
      const item = await claimNext();
      if (item === null) return [];
      const release = permits.tryAcquire({ client: item.file.projectClientId });
      if (release !== null) return [{ item, release }];
      classifications.leave(item);
      return [];
    },
    queueAge: {
      gauge: metrics.jobQueueAge,
      dueAtOf: ({ item: { file, attempt } }) => (attempt === 1 ? file.uploadedAt : null),
    },
    work: async ({ item: claim, release }, signal) => {
      try {
        await classifyFileObject(claim, signal, dependencies);
      } catch (error) {
        logger.warn(
          { err: error, resource_id: claim.file.id, attempt: claim.attempt },
          "a file could not be classified yet",
        );
        await classifications.putOff(claim);
      } finally {
        classifications.leave(claim);
        release();
        // The client may have more files, which this pass has skipped.
        loop.notify();
      }
    },
  });
  const renewal = repeat("renew-classifications", classificationLeaseMs / 3, logger, classifications.renewAll);
  return {
    ...loop,
    stop: async (graceMs) => {
      await loop.stop(graceMs);
      await renewal.stop();
    },
  };
}

async function classifyFileObject(
  claim: ClassificationClaim,
  signal: AbortSignal,
  { classifications, compensations, blobs, inspectors, scanner, clock, logger }: ClassifyDependencies,
): Promise<void> {
  const { file } = claim;
  const copy = await blobs.localCopy(fileObjectBlobKey(file.sha256, file.id));
  try {
    const inspection = await inspect(inspectors, copy.path, claim);
    // A rejected file is not scanned, because it may be a compression bomb that the scanner would unpack.
    const malwareScan = inspection.rejectionReason === null ? await scan(scanner, copy.path, signal, clock) : null;
    const verdict: Classification = {
      rejectionReason: malwareScan?.result === "infected" ? "malware_detected" : inspection.rejectionReason,
      malwareScan,
      image: inspection.image,
    };
    if (!(await classifications.settle(claim, verdict))) return;
    logger.info(
      { resource_id: file.id, project_client_id: file.projectClientId, reason: verdict.rejectionReason ?? "available" },
      "a File Object was classified",
    );
    if (verdict.rejectionReason !== null) await compensations.pay(file.projectClientId, file.id);
  } finally {
    await copy.release();
  }
}

async function inspect(
  inspectors: Inspectors,
  path: string,
  { file, attempt }: ClassificationClaim,
): Promise<Inspection> {
  try {
    return await inspectors.inspect(file.projectClientId, path, file.contentType, file.sizeBytes ?? 0);
  } catch (error) {
    const reason = deathVerdict(file);
    if (!(error instanceof InspectorDied) || attempt < deathsMax || reason === null) throw error;
    return { rejectionReason: reason, image: null };
  }
}

/**
 * The reason to reject bytes that have killed every inspector. Text cannot kill an inspector, so for text the machine
 * must be the cause.
 */
function deathVerdict({ contentType }: FileObject): Inspection["rejectionReason"] {
  if (contentType === "application/pdf") return "pdf_unsafe";
  return isImageContentType(contentType) ? "image_undecodable" : null;
}

async function scan(
  scanner: MalwareScanner | null,
  path: string,
  signal: AbortSignal,
  clock: () => Date,
): Promise<MalwareScan> {
  if (scanner === null) return { result: "not_configured", signature: null, scanned_at: clock() };
  const { isInfected, signature } = await scanner.scanFile(path, signal);
  return { result: isInfected ? "infected" : "clean", signature, scanned_at: clock() };
}
