import { defined } from "@platform/kit/process/fields";
import type { TimeSpan } from "@platform/kit/store/documents";
import { type ChainBreak, createChainVerifier, emptyChain, type ProjectAudit } from "../domain/project-audit.ts";
import { readChainEnd } from "./append-project-audit.ts";
import {
  type AuditHeadDocument,
  type AuditModels,
  type ProjectAuditDocument,
  toChainLink,
  toProjectAudit,
} from "./project-audit-model.ts";

const pageMax = 1_000;
/**
 * Number of records that are verified between two reads. Hashing more records in one go would delay other calls of
 * the process.
 */
const verifiedAtOnce = 200;
/**
 * Maximum number of appends that may overlap. Concurrent processes set a record's time before its position, so a
 * record may have an earlier time than one before it, within this distance.
 */
const disorderMax = 1_000;

/** Filter of a list of audits; null matches everything. */
export type AuditFilter = {
  readonly actorId: string | null;
  readonly action: string | null;
  readonly resourceType: string | null;
  readonly resourceId: string | null;
  readonly span: TimeSpan;
};

export const everyAudit: AuditFilter = {
  actorId: null,
  action: null,
  resourceType: null,
  resourceId: null,
  span: { since: null, until: null },
};

/**
 * Lists at most 1,000 records of a client that follow a seq and match a filter, oldest first. Pruned records are left
 * out.
 */
export async function listProjectAudits(
  models: AuditModels,
  clientId: string,
  afterSeq: number,
  limit: number,
  filter: AuditFilter = everyAudit,
): Promise<ProjectAudit[]> {
  const { actorId, action, resourceType, resourceId, span } = filter;
  const bounds = await seqBounds(models, clientId, afterSeq, span);
  const found = await models.audits
    .find({
      project_client_id: clientId,
      seq: bounds,
      ...defined({ actor_id: actorId, action, resource_type: resourceType, resource_id: resourceId }),
      ...timeBounds(span),
      pruned: { $ne: true },
    })
    .sort({ seq: 1 })
    .limit(Math.min(limit, pageMax))
    .lean<ProjectAuditDocument[]>();
  return found.map(toProjectAudit);
}

function timeBounds({ since, until }: TimeSpan): { recorded_at?: { $gte?: Date; $lt?: Date } } {
  if (since === null && until === null) return {};
  return { recorded_at: defined({ $gte: since, $lt: until }) };
}

/**
 * Returns the range of positions that contains every record of a time range after a seq. With this range, a single
 * index provides both the order and the time.
 */
async function seqBounds(
  models: AuditModels,
  clientId: string,
  afterSeq: number,
  { since, until }: TimeSpan,
): Promise<{ $gt: number; $lt?: number }> {
  const [head, first, last] = await Promise.all([
    models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>(),
    since === null ? null : firstSeqFrom(models, clientId, since),
    until === null ? null : firstSeqFrom(models, clientId, until),
  ]);
  const from = first === null ? 0 : first - disorderMax;
  return {
    $gt: Math.max(afterSeq, head?.pruned_done_seq ?? 0, from),
    ...(last === null ? {} : { $lt: last + disorderMax }),
  };
}

/** Returns the position of the first record that is not older than a time, or null. */
async function firstSeqFrom({ audits }: AuditModels, clientId: string, time: Date): Promise<number | null> {
  const first = await audits
    .findOne({ project_client_id: clientId, recorded_at: { $gte: time } }, { seq: 1 })
    .sort({ recorded_at: 1 })
    .lean<{ seq: number } | null>();
  return first?.seq ?? null;
}

/** Returns the last record up to which all records are older than a time; 0 if there is none. */
export async function lastSeqBefore(models: AuditModels, clientId: string, time: Date): Promise<number> {
  const first = await firstSeqFrom(models, clientId, time);
  if (first === null) return (await readChainEnd(models, clientId)).seq;
  const earliest = await models.audits
    .findOne(
      { project_client_id: clientId, seq: { $gt: first - disorderMax, $lte: first }, recorded_at: { $gte: time } },
      { seq: 1 },
    )
    .sort({ seq: 1 })
    .lean<{ seq: number } | null>();
  return (earliest?.seq ?? first) - 1;
}

/**
 * Counts the records of a client, without pruned ones. The chain has no gaps, so the last seq is the number of all
 * records.
 */
export async function countProjectAudits(models: AuditModels, clientId: string): Promise<number> {
  const [{ seq }, head] = await Promise.all([
    readChainEnd(models, clientId),
    models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>(),
  ]);
  return seq - (head?.pruned_done_seq ?? 0);
}

/**
 * Reads and verifies a client's whole chain, page by page, against its head and, if given, a head that is stored
 * elsewhere.
 */
export async function verifyProjectAudits(
  models: AuditModels,
  clientId: string,
  keptHead: string | null,
  signal: AbortSignal,
): Promise<{ length: number } | ChainBreak> {
  const head = await models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>();
  const verifier = createChainVerifier(clientId, head ?? emptyChain, keptHead, head?.pruned_seq ?? 0);
  let afterSeq = -1;
  for (;;) {
    signal.throwIfAborted();
    const page = await models.audits
      .find({ project_client_id: clientId, seq: { $gt: afterSeq } })
      .sort({ seq: 1 })
      .limit(verifiedAtOnce)
      .lean<ProjectAuditDocument[]>();
    for (const document of page) {
      const broken = verifier.check(toChainLink(document));
      if (broken !== null) return broken;
    }
    const last = page.at(-1);
    if (last === undefined) return verifier.finish();
    afterSeq = last.seq;
  }
}
