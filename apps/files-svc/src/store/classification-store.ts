import { backoffMs } from "@platform/kit/jobs/pacing";
import { type Claim, createLeaseQueue } from "@platform/kit/jobs/work";
import { newId } from "@platform/kit/process/secrets";
import { withFact } from "@platform/kit/store/documents";
import type { PlatformFacts } from "@platform/operator-plane/platform-events";
import type { Classification, FileObject } from "../domain/file-object.ts";
import { type FileObjectDocument, type FileObjectModel, toFileObject } from "./file-object-model.ts";
import { compensationGraceMs } from "./file-objects.ts";

/** A File Object to classify, and the claim that its writes must match. */
export type ClassificationClaim = {
  readonly file: FileObject;
  readonly attempt: number;
  readonly claim: Claim<FileObjectDocument>;
};

export const classificationLeaseMs = 30_000;
const retryRule = { baseMs: 500, maxMs: 60_000, jitter: 0.2 };

export type ClassificationStore = ReturnType<typeof createClassificationStore>;

/**
 * Stores claims and verdicts of classification. A File Object is claimed under a lease, and a single write decides
 * it.
 */
export function createClassificationStore(model: FileObjectModel, clock: () => Date, facts: Pick<PlatformFacts, "of">) {
  const after = (ms: number): Date => new Date(clock().getTime() + ms);
  const quarantined = { state: "quarantined" };
  const queue = createLeaseQueue<FileObjectDocument>(model, {
    clock,
    leaseMs: classificationLeaseMs,
    due: "classification.next_at",
    attempts: "classification.attempts",
    waiting: quarantined,
    held: quarantined,
  });

  return {
    /**
     * Claims the File Object that has waited longest. File Objects of the given clients are skipped. Null if none is
     * due.
     */
    claimNext: async (exceptClientIds: readonly string[]): Promise<ClassificationClaim | null> => {
      const claim = await queue.claimNext(
        exceptClientIds.length === 0 ? {} : { project_client_id: { $nin: exceptClientIds } },
      );
      if (claim === null) return null;
      const { document } = claim;
      return { file: toFileObject(document), attempt: document.classification?.attempts ?? 0, claim };
    },

    /** The age of the File Object that has been in quarantine longest, in milliseconds; 0 if there is none. */
    oldestQuarantinedMs: async (): Promise<number> => {
      const oldest = await model.findOne({ state: "quarantined" }).sort({ uploaded_at: 1 }).lean<FileObjectDocument>();
      return oldest === null || oldest.uploaded_at === null ? 0 : clock().getTime() - oldest.uploaded_at.getTime();
    },
    leave: ({ claim }: ClassificationClaim): void => queue.leave(claim),
    renewAll: queue.renewAll,

    /**
     * Records the verdict: the file becomes available, or it is rejected and its bytes are to be deleted and
     * released. Returns false if the claim was lost.
     */
    settle: ({ file, claim }: ClassificationClaim, verdict: Classification): Promise<boolean> => {
      const isRejected = verdict.rejectionReason !== null;
      const state = isRejected ? "rejected" : "available";
      const data = { rejection_reason: verdict.rejectionReason };
      const fact = facts.of(file.projectClientId, { resource: "file_object", id: file.id, state, data }, clock());
      const owed = {
        id: newId(),
        give_back_bytes: file.sizeBytes ?? 0,
        delete_blob: true,
        due_at: after(compensationGraceMs),
      };
      const update = {
        $set: {
          state,
          rejection_reason: verdict.rejectionReason,
          malware_scan: verdict.malwareScan,
          image: verdict.image,
          classification: null,
          classified_at: clock(),
          ...(isRejected ? { charged_bytes: 0 } : {}),
        },
        ...(isRejected ? { $push: { owed } } : {}),
      };
      return queue.settle(claim, withFact(update, fact));
    },

    /** Postpones a failed attempt. The wait grows with the number of attempts. */
    putOff: async ({ attempt, claim }: ClassificationClaim): Promise<void> => {
      await queue.putOff(claim, after(backoffMs(retryRule, Math.max(1, attempt))));
    },
  };
}
