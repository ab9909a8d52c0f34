import { createHash } from "node:crypto";

/** What a Project Backend states: opaque references, an action and its outcome. */
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
  /** 1 for the first record of the client, then without a gap. */
  readonly seq: number;
  readonly recorded_at: Date;
  /** Hash of the record before it; `genesisHash` for the first. */
  readonly previous_hash: string;
  readonly hash: string;
};

/** In the place of a Project Client's id: the chain of what operators did. */
export const operatorChainId = "operator-actions";

/** What the first record names as the hash before it. */
export const genesisHash = "0".repeat(64);

/**
 * Hash of a record: SHA-256 over the JSON array of its fields in a fixed order, 64 hex. An array, because it has exactly one written
 * form. The version in front lets the form change without breaking older records.
 */
export function hashAudit(audit: Omit<ProjectAudit, "hash">): string {
  const fields = [
    "project-audit/1",
    audit.project_client_id,
    audit.seq,
    audit.id,
    audit.actor_id,
    audit.action,
    audit.resource_type,
    audit.resource_id,
    audit.outcome,
    audit.recorded_at.toISOString(),
    audit.previous_hash,
  ];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

/** The end of a chain: the last seq and its hash; seq 0 and `genesisHash` when it is empty. */
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
 * Walks a chain record by record and tells where it first does not hold.
 * @param head the end kept apart, read before the records: records beyond it are appends under way, records short of it a cut tail
 * @param keptHead hash of an earlier end that was kept outside the database, which the chain must contain; null when there is none.
 * Without it a chain that was written anew as a whole, head included, holds
 */
export function createChainVerifier(projectClientId: string, head: ChainEnd, keptHead: string | null = null) {
  let end = emptyChain;
  let hasKeptHead = keptHead === null || keptHead === genesisHash;
  const judge = (audit: ProjectAudit): ChainBreak | null => {
    const seq = end.seq + 1;
    if (audit.seq !== seq) return { seq, reason: "record_missing" };
    if (audit.project_client_id !== projectClientId || hashAudit(audit) !== audit.hash) {
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
    // Where it was is not known: no record of the chain is it, so the next is the first that could be.
    if (!hasKeptHead) return { seq: end.seq + 1, reason: "kept_head_missing" };
    return { length: end.seq };
  };
  return { judge, finish };
}
