import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import {
  createGroupCommit,
  insertOnce,
  newestFirst,
  type Page,
  type PageOrder,
  type PageRequest,
  readPage,
} from "@platform/kit/store/documents";
import { type FileContentType, type FileObject, type FileObjectState, statesOf } from "../domain/file-object.ts";
import { uploadGrantMs } from "../domain/limits.ts";
import { type FileObjectDocument, type FileObjectModel, toFileObject, without } from "./file-object-model.ts";

/** How long the process that changed a state has to run its compensation before the sweeper does it, in milliseconds. */
export const compensationGraceMs = 60_000;

/** Stores File Objects: grants, uploads and their states. The classification is in classification-store.ts. */
export type FileObjectStore = ReturnType<typeof createFileObjectStore>;

/** Input of a new grant. */
export type NewUploadGrant = {
  readonly expectedSha256: string;
  readonly expectedContentType: FileContentType;
  readonly maximumBytes: number;
  readonly uploadTokenHash: string;
  readonly idempotencyKey: string;
  readonly idempotencyFingerprint: string;
};

/** Creates the store. `clock` returns the time with which every expiry is compared. */
export function createFileObjectStore(model: FileObjectModel, clock: () => Date) {
  const grants = createGroupCommit<FileObjectDocument>(model);
  const after = (ms: number): Date => new Date(clock().getTime() + ms);
  const owed = (releasedBytes: number, deleteBlob: boolean, graceMs = compensationGraceMs) => ({
    id: newId(),
    give_back_bytes: releasedBytes,
    delete_blob: deleteBlob,
    due_at: after(graceMs),
  });

  /** Changes of a grant that can be used again: it is valid for the full time from now on. */
  const released = ({ grantExpiresAt }: FileObject) => {
    const again = after(uploadGrantMs);
    return {
      $set: {
        state: "pending_upload" as const,
        upload_lease_until: null,
        grant_expires_at: again > grantExpiresAt ? again : grantExpiresAt,
      },
    };
  };

  /** Renews an upload's lease. Returns false if the sweeper has given the upload up. */
  const renewUpload = async (clientId: string, id: string, uploadId: string, leaseMs: number): Promise<boolean> => {
    const result = await model.updateOne(
      { _id: id, project_client_id: clientId, state: "uploading", upload_id: uploadId },
      { $set: { upload_lease_until: after(leaseMs) } },
    );
    return result.matchedCount === 1;
  };

  /** Fails an upload of this process and consumes its token. No bytes and no reservation remain. Returns false if the sweeper has given it up. */
  const failUpload = async (file: FileObject, failure: string): Promise<boolean> => {
    const result = await model.updateOne(
      { _id: file.id, project_client_id: file.projectClientId, state: "uploading", upload_id: file.uploadId },
      {
        $set: { state: "upload_failed", failure, charged_bytes: 0, upload_lease_until: null },
        $push: { owed: owed(file.maximumBytes, true) },
      },
    );
    return result.matchedCount === 1;
  };

  return {
    /**
     * Creates a File Object that waits for its upload. The insert claims the idempotency key.
     * @throws ServiceError idempotency_key_reused
     */
    insertGrant: async (
      clientId: string,
      grant: NewUploadGrant,
    ): Promise<{ id: string; expiresAt: Date; isNew: boolean }> => {
      const document: FileObjectDocument = {
        _id: newId(),
        project_client_id: clientId,
        idempotency_key: grant.idempotencyKey,
        idempotency_fingerprint: grant.idempotencyFingerprint,
        state: "pending_upload",
        expected_sha256: grant.expectedSha256,
        expected_content_type: grant.expectedContentType,
        maximum_bytes: grant.maximumBytes,
        upload_token_hash: grant.uploadTokenHash,
        grant_expires_at: after(uploadGrantMs),
        upload_id: null,
        upload_lease_until: null,
        size_bytes: null,
        charged_bytes: grant.maximumBytes,
        owed: [],
        classification: null,
        rejection_reason: null,
        malware_scan: null,
        image: null,
        failure: null,
        created_at: clock(),
        uploaded_at: null,
        classified_at: null,
      };
      const stored = await insertOnce<FileObjectDocument>(model, document, { insert: grants.insert });
      return { id: stored.document._id, expiresAt: stored.document.grant_expires_at, isNew: !stored.replayed };
    },

    /** Finds a File Object of this Project Client. Null if it does not exist, was deleted or belongs to another client. */
    find: async (clientId: string, id: string): Promise<FileObject | null> => {
      const document = await model.findOne({ _id: id, project_client_id: clientId }).lean<FileObjectDocument>();
      return document === null || document.state === "deleted" ? null : toFileObject(document);
    },

    /** Finds a File Object of any client, even a deleted one, for operators. */
    findForOperator: async (id: string): Promise<FileObject | null> => {
      const document = await model.findOne({ _id: id }).lean<FileObjectDocument>();
      return document === null ? null : toFileObject(document);
    },

    /** A page of a client's File Objects in the given states, newest first. */
    list: async (
      clientId: string | null,
      states: readonly FileObjectState[] | null,
      page: PageRequest,
      order: PageOrder = newestFirst,
    ): Promise<Page<FileObject>> => {
      const filter = defined({
        project_client_id: clientId,
        state: states === null ? null : { $in: [...states] },
      });
      const { items, nextCursor } = await readPage<FileObjectDocument>(model, filter, page, { order, isLong: true });
      return { items: items.map(toFileObject), nextCursor };
    },

    /**
     * Deletes a File Object. The same write records the compensation for its bytes and its storage. An upload or a classification in progress can write nothing
     * more, because the state has changed.
     * @returns the changed document; null if there is none
     */
    delete: async (id: string): Promise<FileObject | null> => {
      for (;;) {
        const current = await model.findOne({ _id: id }).lean<FileObjectDocument>();
        if (current === null || current.state === "deleted") return current === null ? null : toFileObject(current);
        const { state, charged_bytes: charged } = current;
        const hasBytes = state === "uploading" || state === "quarantined" || state === "available";
        const document = await model
          .findOneAndUpdate(
            { _id: id, state, charged_bytes: charged },
            {
              $set: {
                state: "deleted",
                deleted_at: clock(),
                charged_bytes: 0,
                upload_lease_until: null,
                classification: null,
              },
              ...(charged > 0 || hasBytes ? { $push: { owed: owed(charged, hasBytes) } } : {}),
            },
            { returnDocument: "after" },
          )
          .lean<FileObjectDocument>();
        if (document !== null) return toFileObject(document);
      }
    },

    /** Claims an upload token. Of several concurrent callers that present it, one gets the File Object and the others get null. */
    claimUpload: async (uploadTokenHash: string, uploadId: string, leaseMs: number): Promise<FileObject | null> => {
      const document = await model
        .findOneAndUpdate(
          { upload_token_hash: uploadTokenHash, state: "pending_upload", grant_expires_at: { $gt: clock() } },
          { $set: { state: "uploading", upload_id: uploadId, upload_lease_until: after(leaseMs) } },
          { returnDocument: "after" },
        )
        .lean<FileObjectDocument>();
      return document === null ? null : toFileObject(document);
    },

    renewUpload,

    /** Accepts stored bytes: quarantines the file, charges its real size, and makes it due for classification. Returns false if the upload was given up. */
    finishUpload: async (file: FileObject, sizeBytes: number): Promise<boolean> => {
      const unused = file.maximumBytes - sizeBytes;
      const result = await model.updateOne(
        { _id: file.id, project_client_id: file.projectClientId, state: "uploading", upload_id: file.uploadId },
        {
          $set: {
            state: "quarantined",
            size_bytes: sizeBytes,
            charged_bytes: sizeBytes,
            classification: { attempts: 0, next_at: clock() },
            uploaded_at: clock(),
            upload_lease_until: null,
          },
          ...(unused === 0 ? {} : { $push: { owed: owed(unused, false) } }),
        },
      );
      return result.matchedCount === 1;
    },

    /** Returns the state of an upload token: an upload with it is running, it can be claimed, or it cannot be used any more. */
    findTokenState: async (uploadTokenHash: string): Promise<"uploading" | "usable" | "useless"> => {
      const document = await model.findOne({ upload_token_hash: uploadTokenHash }).lean<FileObjectDocument>();
      if (document?.state === "uploading") return "uploading";
      return document?.state === "pending_upload" && document.grant_expires_at > clock() ? "usable" : "useless";
    },

    failUpload,

    /** Fails the attempt whose sender disconnected, as the gateway reports. Null if that attempt is not running. */
    failAbortedUpload: async (uploadTokenHash: string, uploadId: string): Promise<FileObject | null> => {
      const filter = { upload_token_hash: uploadTokenHash, state: "uploading" as const, upload_id: uploadId };
      const running = await model.findOne(filter).lean<FileObjectDocument>();
      if (running === null) return null;
      const file = toFileObject(running);
      return (await failUpload(file, "sender_gone")) ? file : null;
    },

    /**
     * Records that the connection of an upload was lost. If the sender disconnected, the gateway reports this within the given time. Without a report, the
     * platform interrupted the upload, and its grant becomes usable again.
     */
    breakUpload: async (file: FileObject, withinMs: number): Promise<void> => {
      await renewUpload(file.projectClientId, file.id, file.uploadId ?? "", withinMs);
    },

    /** Makes the grant usable again after the platform interrupted its upload. */
    releaseUpload: async (file: FileObject): Promise<void> => {
      await model.updateOne(
        { _id: file.id, project_client_id: file.projectClientId, state: "uploading", upload_id: file.uploadId },
        released(file),
      );
    },

    /** Lists uploads whose lease has expired, except the given ones, in the order of their expiry. */
    listBrokenUploads: async (except: readonly string[], limit: number): Promise<FileObject[]> => {
      const broken = await model
        .find({ state: "uploading", upload_lease_until: { $lt: clock() }, ...without(except) })
        .sort({ upload_lease_until: 1 })
        .limit(limit)
        .lean<FileObjectDocument[]>();
      return broken.map(toFileObject);
    },

    /** Makes the grant of such an upload usable again, unless the upload was resumed in the meantime. */
    releaseBrokenUpload: async (file: FileObject): Promise<void> => {
      await model.updateOne(
        { _id: file.id, state: "uploading", upload_id: file.uploadId, upload_lease_until: { $lt: clock() } },
        released(file),
      );
    },

    /** Lists grants that have expired, except the given ones, those that expired first at the beginning. */
    listExpiredGrants: async (except: readonly string[], limit: number): Promise<FileObject[]> => {
      const stale = await model
        .find({ state: "pending_upload", grant_expires_at: { $lte: clock() }, ...without(except) })
        .sort({ grant_expires_at: 1 })
        .limit(limit)
        .lean<FileObjectDocument[]>();
      return stale.map(toFileObject);
    },

    /** Expires a grant, unless it is used in the meantime. The sweep of compensations then releases its reservation. */
    expireGrant: async ({ id, maximumBytes, uploadId }: FileObject): Promise<void> => {
      await model.updateOne(
        { _id: id, state: "pending_upload", upload_id: uploadId, grant_expires_at: { $lte: clock() } },
        {
          $set: { state: "expired", charged_bytes: 0 },
          // If an attempt was started, its process may have died after it had stored the bytes, so they may have to be deleted.
          $push: { owed: owed(maximumBytes, uploadId !== null, 0) },
        },
      );
    },

    /** Ids of a client's File Objects that are not deleted. */
    listKept: async (clientId: string, limit: number): Promise<string[]> => {
      const kept = [...statesOf.pending_upload, ...statesOf.quarantined, ...statesOf.available, ...statesOf.rejected];
      const found = await model
        .find({ project_client_id: clientId, state: { $in: kept } }, { _id: 1 })
        .limit(limit)
        .lean<{ _id: string }[]>();
      return found.map(({ _id }) => _id);
    },

    /** Number of bytes that a Project Client holds: those that are charged, and those that a pending compensation has yet to release. */
    countStorageBytes: async (clientId: string): Promise<number> => {
      const [row] = await model.aggregate<{ used: number }>([
        { $match: { project_client_id: clientId } },
        { $group: { _id: null, used: { $sum: { $add: ["$charged_bytes", { $sum: "$owed.give_back_bytes" }] } } } },
      ]);
      return row?.used ?? 0;
    },
  };
}
