import { type Connection, type Model, Schema } from "mongoose";
import type { ProjectAudit } from "../domain/project-audit.ts";

/** A Project Audit as it is stored; it carries the idempotency claim it was made under. */
export type ProjectAuditDocument = Omit<ProjectAudit, "id"> & {
  readonly _id: string;
  readonly idempotency_key: string;
  readonly idempotency_fingerprint: string;
};

/** The end of a client's chain, kept apart from the records so that a cut tail shows. */
export type AuditHeadDocument = {
  readonly _id: string;
  readonly seq: number;
  readonly hash: string;
  /** The UTC day it was exported last, as 2026-01-31. */
  readonly exported_on?: string;
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
  },
  { collection: "project_audits", strict: "throw", versionKey: false },
);
// Two appends to one place cannot both win: this index, not a lock, keeps the chain one line.
auditSchema.index({ project_client_id: 1, seq: 1 }, { unique: true });
auditSchema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });

const headSchema = new Schema<AuditHeadDocument>(
  { _id: text, seq: { type: Number, required: true }, hash: text, exported_on: String },
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
  const { _id, idempotency_key: _key, idempotency_fingerprint: _fingerprint, ...fields } = document;
  return { id: _id, ...fields };
}
