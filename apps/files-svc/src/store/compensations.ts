import type { Quota } from "@platform/quota/quota";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { OwnershipProblem } from "./bucket-ownership.ts";
import { type FileObjectDocument, type FileObjectModel, without } from "./file-object-model.ts";

const resource = "storage_bytes";

/** Runs the compensations of File Objects: quota that has to be released, and bytes that have to be deleted. */
export type CompensationStore = {
  /** Runs the compensations of this File Object, if there are any. One that fails stays pending. */
  pay(clientId: string, id: string): Promise<void>;
  /** Lists File Objects with due compensations, except the given ones, those that have been due longest first. */
  listDue(except: readonly string[], limit: number): Promise<{ readonly clientId: string; readonly id: string }[]>;
};

/**
 * Creates the store. The change of state is stored together with its compensation, so that the compensation can be
 * repeated after a crash. Deleting bytes twice does no harm. Redis records the compensation's id in the same step in
 * which it releases quota, so quota is released only once.
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
    // Redis has lost its data. The documents still count these bytes, so the gauge is restored from them first and
    // can then be lowered.
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
        // If the database was restored to a time during the upload, the file may have been accepted after that time.
        // Its bytes are deleted only if the bucket is proven to belong to this state of the database.
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
