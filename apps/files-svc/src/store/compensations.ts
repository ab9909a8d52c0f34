import type { Quota } from "@platform/quota/quota";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { OwnershipProblem } from "./bucket-ownership.ts";
import { type FileObjectDocument, type FileObjectModel, without } from "./file-object-model.ts";

const resource = "storage_bytes";

/** Runs the compensations of File Objects: quota to release, bytes to delete. */
export type CompensationStore = {
  /** Runs this File Object's compensation, if any. A failed one stays pending. */
  pay(clientId: string, id: string): Promise<void>;
  /** File Objects with due compensations, except the given ones, the longest due first. */
  listDue(except: readonly string[], limit: number): Promise<{ readonly clientId: string; readonly id: string }[]>;
};

/**
 * The state change is durable first, so its compensation can be repeated after a crash. Deleting bytes is idempotent.
 * Redis records the compensation's id in the same step that releases its bytes, so quota is released once.
 */
export function createCompensationStore(
  model: FileObjectModel,
  blobs: BlobStore,
  quota: Pick<Quota, "releaseOnce" | "restoreGauge">,
  countStorageBytes: (clientId: string) => Promise<number>,
  verifyBucket: () => Promise<OwnershipProblem | null>,
  clock: () => Date,
): CompensationStore {
  const release = async (clientId: string, bytes: number, id: string): Promise<void> => {
    if (await quota.releaseOnce(clientId, resource, bytes, id)) return;
    // Redis lost its data. The documents still count these bytes, so a gauge restored from them can be lowered by them.
    await quota.restoreGauge(clientId, resource, () => countStorageBytes(clientId));
    if (!(await quota.releaseOnce(clientId, resource, bytes, id)))
      throw new Error(`the gauge ${resource} of ${clientId} is being claimed; the compensation stays pending`);
  };
  const requireBucket = async (): Promise<void> => {
    const problem = await verifyBucket();
    if (problem !== null) throw new Error(`the bucket is not provably this database's: ${problem}`);
  };
  const payOne = async (document: FileObjectDocument): Promise<void> => {
    for (const compensation of document.owed) {
      if (compensation.delete_blob) {
        // If the database was restored to a time during the upload, these may be the bytes of a file that was accepted
        // later.
        if (document.state === "expired") await requireBucket();
        await blobs.delete(fileObjectBlobKey(document.expected_sha256, document._id), document.upload_id);
      }
      if (compensation.give_back_bytes > 0) {
        await release(document.project_client_id, compensation.give_back_bytes, compensation.id);
      }
      await model.updateOne(
        { _id: document._id, project_client_id: document.project_client_id },
        { $pull: { owed: { id: compensation.id } } },
      );
    }
  };

  return {
    pay: async (clientId, id) => {
      const document = await model.findOne({ _id: id, project_client_id: clientId }).lean<FileObjectDocument>();
      if (document !== null) await payOne(document);
    },
    listDue: async (except, limit) => {
      const due = await model
        .find(
          { "owed.due_at": { $gt: new Date(0), $lte: clock() }, ...without(except) },
          { _id: 1, project_client_id: 1 },
        )
        .sort({ "owed.due_at": 1 })
        .limit(limit)
        .lean<Pick<FileObjectDocument, "_id" | "project_client_id">[]>();
      return due.map(({ _id: id, project_client_id: clientId }) => ({ clientId, id }));
    },
  };
}
