import { indexOutbox, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema, type SchemaDefinition } from "mongoose";
import type {
  FileContentType,
  FileObject,
  FileObjectState,
  MalwareScan,
  RejectionReason,
} from "../domain/file-object.ts";

/**
 * A compensation: work outside of the database that follows a change of state. The process that changed the state
 * does it, or the sweeper if that process fails.
 */
export type Compensation = {
  /** Id of this compensation in Redis, so that its bytes are released only once, however often it is repeated. */
  id: string;
  give_back_bytes: number;
  delete_blob: boolean;
  /** Time from which the sweeper may run it. */
  due_at: Date;
};

/**
 * Number of attempts, which fences every write, and the time from which the File Object may be claimed for
 * classification. A claim moves this time to the end of its lease.
 */
export type ClassificationLease = { attempts: number; next_at: Date };

/** A stored File Object. */
export type FileObjectDocument = OutboxFields & {
  _id: string;
  project_client_id: string;
  idempotency_key: string;
  idempotency_fingerprint: string;
  state: FileObjectState;
  expected_sha256: string;
  expected_content_type: FileContentType;
  maximum_bytes: number;
  upload_token_hash: string;
  grant_expires_at: Date;
  /** Id of the attempt that claimed the token. */
  upload_id: string | null;
  /** Time after which the uploading process is considered dead if it has not renewed the upload. */
  upload_lease_until: Date | null;
  size_bytes: number | null;
  /**
   * Number of bytes that this File Object holds of the quota storage_bytes, in addition to those that `owed` has yet
   * to release.
   */
  charged_bytes: number;
  owed: Compensation[];
  classification: ClassificationLease | null;
  rejection_reason: RejectionReason | null;
  malware_scan: MalwareScan | null;
  image: { width: number; height: number; frames: number } | null;
  failure: string | null;
  created_at: Date;
  uploaded_at: Date | null;
  classified_at: Date | null;
  /** Absent unless an operator deleted it. */
  deleted_at?: Date;
};

const part = (fields: SchemaDefinition) => new Schema(fields, { _id: false, strict: "throw" });
const compensationSchema = part({ id: String, give_back_bytes: Number, delete_blob: Boolean, due_at: Date });

const schema = new Schema<FileObjectDocument>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    idempotency_key: { type: String, required: true },
    idempotency_fingerprint: { type: String, required: true },
    state: { type: String, required: true },
    expected_sha256: { type: String, required: true },
    expected_content_type: { type: String, required: true },
    maximum_bytes: { type: Number, required: true },
    upload_token_hash: { type: String, required: true },
    grant_expires_at: { type: Date, required: true },
    upload_id: { type: String, default: null },
    upload_lease_until: { type: Date, default: null },
    size_bytes: { type: Number, default: null },
    charged_bytes: { type: Number, required: true },
    owed: { type: [compensationSchema], default: [] },
    classification: { type: part({ attempts: Number, next_at: Date }), default: null },
    rejection_reason: { type: String, default: null },
    malware_scan: { type: part({ result: String, signature: String, scanned_at: Date }), default: null },
    image: { type: part({ width: Number, height: Number, frames: Number }), default: null },
    failure: { type: String, default: null },
    created_at: { type: Date, required: true },
    uploaded_at: { type: Date, default: null },
    classified_at: { type: Date, default: null },
    ...outboxSchema,
    deleted_at: Date,
  },
  { collection: "file_objects", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
schema.index({ upload_token_hash: 1 }, { unique: true });
schema.index({ project_client_id: 1, charged_bytes: 1 });
// Index for retention, oldest records first.
schema.index({ classified_at: 1 }, { partialFilterExpression: { state: "rejected" } });
// Index for operators' lists of File Objects, newest first.
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ project_client_id: 1, state: 1, created_at: 1, _id: 1 });
// Index for the same list across clients.
schema.index({ created_at: 1, _id: 1 });
schema.index({ state: 1, created_at: 1, _id: 1 });
// At any time, the sweepers need only a small part of all File Objects, so partial indexes contain only that part.
schema.index({ grant_expires_at: 1 }, { partialFilterExpression: { state: "pending_upload" } });
schema.index({ upload_lease_until: 1 }, { partialFilterExpression: { state: "uploading" } });
schema.index({ "classification.next_at": 1 }, { partialFilterExpression: { state: "quarantined" } });
schema.index({ uploaded_at: 1 }, { partialFilterExpression: { state: "quarantined" } });
schema.index({ "owed.due_at": 1 }, { partialFilterExpression: { "owed.due_at": { $gt: new Date(0) } } });

indexOutbox(schema);

export type FileObjectModel = Model<FileObjectDocument>;

export function fileObjectModel(connection: Connection): FileObjectModel {
  return connection.model<FileObjectDocument>("FileObject", schema);
}

/** Condition that excludes the given File Objects. */
export const without = (ids: readonly string[]) => (ids.length === 0 ? {} : { _id: { $nin: [...ids] } });

/** Decodes a stored File Object. */
export function toFileObject(document: FileObjectDocument): FileObject {
  return {
    id: document._id,
    projectClientId: document.project_client_id,
    state: document.state,
    contentType: document.expected_content_type,
    sha256: document.expected_sha256,
    maximumBytes: document.maximum_bytes,
    sizeBytes: document.size_bytes,
    rejectionReason: document.rejection_reason,
    malwareScan: document.malware_scan,
    uploadId: document.upload_id,
    grantExpiresAt: document.grant_expires_at,
    chargedBytes: document.charged_bytes,
    createdAt: document.created_at,
    uploadedAt: document.uploaded_at,
    deletedAt: document.deleted_at ?? null,
  };
}
