import { type Connection, type Model, Schema } from "mongoose";
import type { ProjectAudit, PrunedAudit } from "../domain/project-audit.ts";

/** A stored Project Audit, with the idempotency claim under which it was created. */
export type ProjectAuditDocument = Omit<ProjectAudit, "id"> & {
  readonly _id: string;
  readonly idempotency_key: string;
  readonly idempotency_fingerprint: string;
  /** Correlation id of the request that appended the record. It is not part of the chain. */
  readonly correlation_id?: string;
  /** True if the contents were pruned. The hashes and the idempotency key remain. */
  readonly pruned?: true;
};

/** The end of a client's chain, stored separately from the records so that a truncated end is detected. */
export type AuditHeadDocument = {
  readonly _id: string;
  readonly seq: number;
  readonly hash: string;
  /** The UTC day on which the head was exported last, such as 2026-01-31. */
  readonly exported_on?: string;
  /** The last record up to which all records are known to have been exported. */
  readonly exported_seq?: number;
  /** The last record that may be pruned, and the last one up to which pruning is complete. */
  readonly pruned_seq?: number;
  readonly pruned_done_seq?: number;
  /** The result of the chain's last verification; `on` is its UTC day. */
  readonly verification?: {
    readonly at: Date;
    readonly on: string;
    readonly verified_seq: number;
    readonly broken_seq?: number;
    readonly reason?: string;
  };
};

const text = { type: String, required: true } as const;

const auditSchema = new Schema<ProjectAuditDocument>(
  {
    _id: text,
    project_client_id: text,
    seq: { type: Number, required: true },
    actor_id: text,
    action: text,
    resource_type: text,
    resource_id: text,
    outcome: text,
    recorded_at: { type: Date, required: true },
    previous_hash: text,
    hash: text,
    idempotency_key: text,
    idempotency_fingerprint: text,
    correlation_id: String,
    commitments: { type: Schema.Types.Mixed },
    erased: Boolean,
    pruned: Boolean,
  },
  { collection: "project_audits", strict: "throw", versionKey: false },
);
// The unique index prevents two appends from getting the same position, so the chain never forks.
auditSchema.index({ project_client_id: 1, seq: 1 }, { unique: true });
auditSchema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });

// Index for the operators' search by actor within a chain.
auditSchema.index({ project_client_id: 1, actor_id: 1, seq: 1 });
auditSchema.index({ project_client_id: 1, action: 1, seq: 1 });
auditSchema.index({ project_client_id: 1, resource_type: 1, seq: 1 });
auditSchema.index({ project_client_id: 1, resource_id: 1, seq: 1 });
auditSchema.index({ project_client_id: 1, recorded_at: 1 });

const headSchema = new Schema<AuditHeadDocument>(
  {
    _id: text,
    seq: { type: Number, required: true },
    hash: text,
    exported_on: String,
    exported_seq: Number,
    pruned_seq: Number,
    pruned_done_seq: Number,
    verification: { type: Schema.Types.Mixed },
  },
  { collection: "project_audit_heads", strict: "throw", versionKey: false },
);

export type AuditModels = {
  readonly audits: Model<ProjectAuditDocument>;
  readonly heads: Model<AuditHeadDocument>;
};

export function auditModels(connection: Connection): AuditModels {
  return {
    audits: connection.model<ProjectAuditDocument>("ProjectAudit", auditSchema),
    heads: connection.model<AuditHeadDocument>("ProjectAuditHead", headSchema),
  };
}

export function toProjectAudit(document: ProjectAuditDocument): ProjectAudit {
  const {
    _id,
    idempotency_key: _key,
    idempotency_fingerprint: _fingerprint,
    correlation_id: _correlationId,
    pruned: _pruned,
    ...fields
  } = document;
  return { id: _id, ...fields };
}

/** Decodes a record, or the remaining part of a pruned one. */
export function toChainLink(document: ProjectAuditDocument): ProjectAudit | PrunedAudit {
  if (document.pruned !== true) return toProjectAudit(document);
  const { project_client_id, seq, previous_hash, hash } = document;
  return { project_client_id, seq, previous_hash, hash, isPruned: true };
}
