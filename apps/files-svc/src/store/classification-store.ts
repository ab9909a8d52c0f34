import { backoffMs } from "@platform/service-kit/jobs/backoff";
import { newId } from "@platform/service-kit/secrets/id";
import type { Classification, FileObject } from "../domain/file-object.ts";
import { type FileObjectDocument, type FileObjectModel, toFileObject } from "./file-object-model.ts";
import { owedGraceMs } from "./file-objects.ts";

/** A File Object to classify, and the attempt whose writes count. */
export type ClassificationClaim = { readonly file: FileObject; readonly attempt: number };

const retryRule = { baseMs: 500, maxMs: 60_000, jitter: 0.2 };

export type ClassificationStore = ReturnType<typeof createClassificationStore>;

/** The classification side of File Objects: claimed by lease, fenced by attempt, decided by one write. */
export function createClassificationStore(model: FileObjectModel, clock: () => Date) {
  const after = (ms: number): Date => new Date(clock().getTime() + ms);
  const held = ({ file, attempt }: ClassificationClaim) => ({
    _id: file.id,
    project_client_id: file.projectClientId,
    state: "quarantined" as const,
    "classification.attempts": attempt,
  });

  return {
    /** Claims the File Object that has waited longest of those of other clients than the named ones, or null when none is due. */
    claimNext: async (leaseMs: number, exceptClientIds: readonly string[]): Promise<ClassificationClaim | null> => {
      const document = await model
        .findOneAndUpdate(
          {
            state: "quarantined",
            "classification.next_at": { $lte: clock() },
            ...(exceptClientIds.length === 0 ? {} : { project_client_id: { $nin: [...exceptClientIds] } }),
          },
          // Until the lease ends nobody else finds it: next_at is what claims look at.
          {
            $set: { "classification.next_at": after(leaseMs) },
            $inc: { "classification.attempts": 1 },
          },
          { sort: { "classification.next_at": 1 }, returnDocument: "after" },
        )
        .lean<FileObjectDocument>();
      if (document === null) return null;
      return { file: toFileObject(document), attempt: document.classification?.attempts ?? 0 };
    },

    /** How long the File Object that has been in quarantine longest is there, in milliseconds; 0 when none is. */
    oldestQuarantinedMs: async (): Promise<number> => {
      const oldest = await model.findOne({ state: "quarantined" }).sort({ uploaded_at: 1 }).lean<FileObjectDocument>();
      return oldest === null || oldest.uploaded_at === null ? 0 : clock().getTime() - oldest.uploaded_at.getTime();
    },

    /** Keeps a claim. False when it is lost. */
    renew: async (claim: ClassificationClaim, leaseMs: number): Promise<boolean> => {
      const result = await model.updateOne(held(claim), {
        $set: { "classification.next_at": after(leaseMs) },
      });
      return result.matchedCount === 1;
    },

    /** Records the verdict: available, or rejected with its bytes to be deleted and given back. False when the claim was lost. */
    settle: async (claim: ClassificationClaim, verdict: Classification): Promise<boolean> => {
      const { file } = claim;
      const isRejected = verdict.rejectionReason !== null;
      const result = await model.updateOne(held(claim), {
        $set: {
          state: isRejected ? "rejected" : "available",
          rejection_reason: verdict.rejectionReason,
          malware_scan: verdict.malwareScan,
          image: verdict.image,
          classification: null,
          classified_at: clock(),
          ...(isRejected ? { charged_bytes: 0 } : {}),
        },
        ...(isRejected
          ? {
              $push: {
                owed: {
                  id: newId(),
                  give_back_bytes: file.sizeBytes ?? 0,
                  delete_blob: true,
                  due_at: after(owedGraceMs),
                },
              },
            }
          : {}),
      });
      return result.matchedCount === 1;
    },

    /** Puts a failed try off; the wait grows with the attempts. */
    putOff: async (claim: ClassificationClaim): Promise<void> => {
      await model.updateOne(held(claim), {
        $set: {
          "classification.next_at": after(backoffMs(retryRule, Math.max(1, claim.attempt))),
        },
      });
    },
  };
}
