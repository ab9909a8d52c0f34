import type { Quota } from "@platform/quota/quota";
import { fileObjectBlobKey } from "../domain/blob-key.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { FileObjectDocument, FileObjectModel } from "./file-object-model.ts";

const resource = "storage_bytes";

/** Pays what state changes of File Objects left to do: quota to give back, bytes to delete. */
export type OwedWorkStore = {
  /** Pays what this File Object owes, if anything. What fails stays owed. */
  pay(clientId: string, id: string): Promise<void>;
  /** Pays what is due, at most `limit` File Objects; how many were paid. */
  payDue(limit: number): Promise<number>;
};

/**
 * The state change is durable first, so its debt can be paid again after a crash. Deleting bytes is idempotent. The debt's id is marked in Redis in the
 * same step that gives its bytes back, so quota is given back once.
 */
export function createOwedWorkStore(
  model: FileObjectModel,
  blobs: BlobStore,
  quota: Pick<Quota, "giveBackOnce" | "restoreLevel">,
  countStorageBytes: (clientId: string) => Promise<number>,
  clock: () => Date,
): OwedWorkStore {
  const giveBack = async (clientId: string, bytes: number, id: string): Promise<void> => {
    if (await quota.giveBackOnce(clientId, resource, bytes, id)) return;
    // Redis came back empty. The documents still count this debt, so a level made from them can be lowered by it.
    await quota.restoreLevel(clientId, resource, () => countStorageBytes(clientId));
    if (!(await quota.giveBackOnce(clientId, resource, bytes, id)))
      throw new Error(`the level ${resource} of ${clientId} is being claimed; what is owed stays owed`);
  };
  const payOne = async (document: FileObjectDocument): Promise<void> => {
    for (const debt of document.owed) {
      if (debt.delete_blob) {
        await blobs.delete(fileObjectBlobKey(document.expected_sha256, document._id), document.upload_id);
      }
      if (debt.give_back_bytes > 0) {
        await giveBack(document.project_client_id, debt.give_back_bytes, debt.id);
      }
      await model.updateOne(
        { _id: document._id, project_client_id: document.project_client_id },
        { $pull: { owed: { id: debt.id } } },
      );
    }
  };

  return {
    pay: async (clientId, id) => {
      const document = await model.findOne({ _id: id, project_client_id: clientId }).lean<FileObjectDocument>();
      if (document !== null) await payOne(document);
    },
    payDue: async (limit) => {
      const due = await model
        .find({ "owed.due_at": { $gt: new Date(0), $lte: clock() } })
        .sort({ "owed.due_at": 1 })
        .limit(limit)
        .lean<FileObjectDocument[]>();
      for (const document of due) await payOne(document);
      return due.length;
    },
  };
}
