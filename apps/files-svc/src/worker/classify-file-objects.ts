import { type JobLoop, startJobLoop } from "@platform/service-kit/jobs/job-loop";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Metrics } from "@platform/service-kit/process/metrics";
import type { MalwareScanner } from "../content/clamd.ts";
import type { Inspection } from "../content/inspect-file.ts";
import { InspectorDied, type Inspectors } from "../content/inspectors.ts";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import { type Classification, type FileObject, isImageContentType, type MalwareScan } from "../domain/file-object.ts";
import { classificationsAtOnce } from "../domain/limits.ts";
import type { BlobStore } from "../store/blobs/blob-store.ts";
import type { ClassificationClaim, ClassificationStore } from "../store/classification-store.ts";
import type { OwedWorkStore } from "../store/owed-work.ts";

export type ClassifyDependencies = {
  readonly classifications: ClassificationStore;
  readonly owedWork: OwedWorkStore;
  readonly blobs: BlobStore;
  readonly inspectors: Inspectors;
  /** Null when no scanner is configured: every record then says so. */
  readonly scanner: MalwareScanner | null;
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly metrics: Metrics;
};

const leaseMs = 30_000;
const renewEveryMs = 10_000;
/** One place is kept for the clients that have none. */
const perClientMax = classificationsAtOnce - 1;
/** Bytes that killed their inspector this often are to blame themselves. */
const deathsMax = 3;

/**
 * Classifies quarantined File Objects, by lease: each one is decided once, however many workers there are. Clients that have none being classified
 * here come first, and no client takes every place.
 */
export function startClassification(dependencies: ClassifyDependencies, pollMs: number): JobLoop {
  const { classifications, logger, metrics } = dependencies;
  const running = new Map<string, number>();
  const count = (clientId: string, change: 1 | -1): void => {
    const now = (running.get(clientId) ?? 0) + change;
    if (now > 0) running.set(clientId, now);
    else running.delete(clientId);
  };
  const claimNext = async (): Promise<ClassificationClaim | null> => {
    const full = [...running].filter(([, files]) => files >= perClientMax).map(([clientId]) => clientId);
    const others = running.size > full.length ? await classifications.claimNext(leaseMs, [...running.keys()]) : null;
    return others ?? (await classifications.claimNext(leaseMs, full));
  };
  const loop = startJobLoop<ClassificationClaim>({
    name: "classify-file-objects",
    logger,
    concurrency: classificationsAtOnce,
    pollMs,
    claim: async () => {
      const claim = await claimNext();
      if (claim === null) return [];
      count(claim.file.projectClientId, 1);
      return [claim];
    },
    queueAge: {
      gauge: metrics.jobQueueAge,
      dueAtOf: ({ file, attempt }) => (attempt === 1 ? file.uploadedAt : null),
    },
    work: async (claim, signal) => {
      try {
        await classifyFileObject(claim, signal, dependencies);
      } catch (error) {
        logger.warn({ err: error, resource_id: claim.file.id, attempt: claim.attempt }, "not classified yet");
        await classifications.putOff(claim);
      } finally {
        count(claim.file.projectClientId, -1);
        // Its client may have more, which was passed over.
        loop.nudge();
      }
    },
  });
  return loop;
}

async function classifyFileObject(
  claim: ClassificationClaim,
  signal: AbortSignal,
  { classifications, owedWork, blobs, inspectors, scanner, clock, logger }: ClassifyDependencies,
): Promise<void> {
  const { file } = claim;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    classifications.renew(claim, leaseMs).then(
      (isHeld) => isHeld || lost.abort(new Error("the claim was lost")),
      (error: unknown) => logger.warn({ err: error, resource_id: file.id }, "classification lease not renewed"),
    );
  }, renewEveryMs);
  const copy = await blobs.localCopy(fileObjectBlobKey(file.sha256, file.id)).catch((error: unknown) => {
    clearInterval(renewal);
    throw error;
  });
  try {
    const inspection = await inspect(inspectors, copy.path, claim);
    // A refused file is not scanned, because the scanner would unpack a bomb.
    const malwareScan =
      inspection.rejectionReason === null
        ? await scan(scanner, copy.path, AbortSignal.any([signal, lost.signal]), clock)
        : null;
    const verdict: Classification = {
      rejectionReason: malwareScan?.result === "infected" ? "malware_detected" : inspection.rejectionReason,
      malwareScan,
      image: inspection.image,
    };
    if (!(await classifications.settle(claim, verdict))) return;
    logger.info(
      { resource_id: file.id, project_client_id: file.projectClientId, reason: verdict.rejectionReason ?? "available" },
      "file object classified",
    );
    if (verdict.rejectionReason !== null) await owedWork.pay(file.projectClientId, file.id);
  } finally {
    clearInterval(renewal);
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

/** Rejection reason of bytes that killed every inspector. Text cannot kill one, so there the machine is the cause. */
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
