import { createHash, randomBytes } from "node:crypto";

/** The statement of a Project Backend. It consists of opaque references, an action and its outcome. */
export type AuditFact = {
  readonly actor_id: string;
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly outcome: string;
};

/** A record of a client's chain. */
export type ProjectAudit = AuditFact & {
  readonly id: string;
  readonly project_client_id: string;
  /** Position of the record in the client's chain, counted from 1 without gaps. */
  readonly seq: number;
  readonly recorded_at: Date;
  /** Hash of the previous record; `genesisHash` for the first one. */
  readonly previous_hash: string;
  readonly hash: string;
  /** Absent from records that were stored before commitments were introduced. */
  readonly commitments?: AuditCommitments;
  /** True if the personal fields were erased and are empty. */
  readonly erased?: true;
};

/**
 * Commitments to the fields that may name a person: a hash of a salt and the field. Erasing a field deletes its salt too, so the commitment reveals
 * nothing and the record's own hash stays valid.
 */
export type AuditCommitments = {
  readonly actor: string;
  readonly resource: string;
  /** Null once the field was erased. */
  readonly actor_salt: string | null;
  readonly resource_salt: string | null;
};

const commit = (salt: string, field: string): string => createHash("sha256").update(`${salt}\0${field}`).digest("hex");

/** Creates the commitments to the fields of a new record. */
export function commitTo(fact: Pick<AuditFact, "actor_id" | "resource_id">): AuditCommitments {
  const [actorSalt, resourceSalt] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  return {
    actor: commit(actorSalt, fact.actor_id),
    resource: commit(resourceSalt, fact.resource_id),
    actor_salt: actorSalt,
    resource_salt: resourceSalt,
  };
}

/** Returns whether the fields match their commitments. Erased fields are not compared. */
function holdsCommitments({ actor_id, resource_id, commitments: made }: ProjectAudit): boolean {
  if (made === undefined) return true;
  const isActor = made.actor_salt === null ? actor_id === "" : commit(made.actor_salt, actor_id) === made.actor;
  const isResource =
    made.resource_salt === null ? resource_id === "" : commit(made.resource_salt, resource_id) === made.resource;
  return isActor && isResource;
}

/** The part of a pruned record that is kept: its position in the chain. Only the export contains the rest. */
export type PrunedAudit = Pick<ProjectAudit, "project_client_id" | "seq" | "previous_hash" | "hash"> & {
  readonly isPruned: true;
};

/** The value that the first record has as its previous hash. */
export const genesisHash = "0".repeat(64);

/**
 * Hash of a record: SHA-256 over the JSON array of its fields in a fixed order, as 64 hex characters. An array is
 * used because it has exactly one written form. The version at its beginning allows a later version to change the
 * form without invalidating older records.
 */
export function hashAudit(audit: Omit<ProjectAudit, "hash">): string {
  const { commitments } = audit;
  const fields = [
    commitments === undefined ? "project-audit/1" : "project-audit/2",
    audit.project_client_id,
    audit.seq,
    audit.id,
    commitments?.actor ?? audit.actor_id,
    audit.action,
    audit.resource_type,
    commitments?.resource ?? audit.resource_id,
    audit.outcome,
    audit.recorded_at.toISOString(),
    audit.previous_hash,
  ];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

/** The end of a chain: the last seq and its hash. For an empty chain, they are 0 and `genesisHash`. */
export type ChainEnd = { readonly seq: number; readonly hash: string };

export const emptyChain: ChainEnd = { seq: 0, hash: genesisHash };

export type ChainBreak = {
  readonly seq: number;
  readonly reason:
    | "record_missing"
    | "record_altered"
    | "link_broken"
    | "tail_cut"
    | "head_altered"
    | "kept_head_missing";
};

/**
 * Verifies a chain record by record and reports the first fault.
 * @param head the end of the chain, which is stored separately and was read before the records. Records after it are
 * appends in progress; if records before it are missing, the end was truncated
 * @param keptHead hash of an earlier end that is stored outside of the database and that the chain must contain; null
 * if there is none. Without it, a chain that was rewritten together with its head is considered valid
 * @param prunedSeq the last record that may be pruned; a pruned record after it was altered
 */
export function createChainVerifier(
  projectClientId: string,
  head: ChainEnd,
  keptHead: string | null = null,
  prunedSeq = 0,
) {
  let end = emptyChain;
  let hasKeptHead = keptHead === null || keptHead === genesisHash;
  /**
   * Returns whether a record matches its hash. For a pruned record, and for an erased one without commitments, only
   * the position can be checked.
   */
  const isUnaltered = (audit: ProjectAudit | PrunedAudit): boolean => {
    if ("isPruned" in audit) return audit.seq <= prunedSeq;
    if (audit.erased === true && audit.commitments === undefined) return true;
    return hashAudit(audit) === audit.hash && holdsCommitments(audit);
  };
  const check = (audit: ProjectAudit | PrunedAudit): ChainBreak | null => {
    const seq = end.seq + 1;
    if (audit.seq !== seq) return { seq, reason: "record_missing" };
    if (audit.project_client_id !== projectClientId || !isUnaltered(audit)) {
      return { seq, reason: "record_altered" };
    }
    if (audit.previous_hash !== end.hash) return { seq, reason: "link_broken" };
    if (audit.seq === head.seq && audit.hash !== head.hash) return { seq, reason: "head_altered" };
    end = { seq, hash: audit.hash };
    hasKeptHead ||= audit.hash === keptHead;
    return null;
  };
  const finish = (): { length: number } | ChainBreak => {
    if (end.seq < head.seq) return { seq: end.seq + 1, reason: "tail_cut" };
    // The position of a missing kept head is unknown, so the fault is reported after the end of the chain.
    if (!hasKeptHead) return { seq: end.seq + 1, reason: "kept_head_missing" };
    return { length: end.seq };
  };
  return { check, finish };
}
