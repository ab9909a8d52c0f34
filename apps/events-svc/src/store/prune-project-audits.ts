import { collectionOf } from "@platform/kit/store/documents";
import { readChainEnd } from "./append-project-audit.ts";
import type { AuditHeadDocument, AuditModels, ProjectAuditDocument } from "./project-audit-model.ts";
import { lastSeqBefore } from "./read-project-audits.ts";

/**
 * Number of records in a batch. Batches start at multiples of this number, so that a repeat after a crash covers the
 * same batch.
 */
const batchMax = 500;

/** Result of one batch. */
export type PrunedBatch = { readonly pruned: number; readonly throughSeq: number; readonly isDone: boolean };

/** Returns units of a gauge quota. Repeating the call with the same id returns nothing. */
export type ReleaseUnits = (clientId: string, amount: number, id: string) => Promise<unknown>;

/**
 * Records that a client's audits were exported up to a given one.
 * @returns the last exported record; null if the given record has another hash
 */
export async function markExported(
  { audits, heads }: AuditModels,
  clientId: string,
  throughSeq: number,
  hash: string,
): Promise<number | null> {
  const last = await audits
    .findOne({ project_client_id: clientId, seq: throughSeq }, { hash: 1 })
    .lean<Pick<ProjectAuditDocument, "hash"> | null>();
  if (last === null || last.hash !== hash) return null;
  await collectionOf(heads).updateOne({ _id: clientId }, { $max: { exported_seq: throughSeq } });
  const head = await heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>();
  return head?.exported_seq ?? throughSeq;
}

/**
 * Removes the contents of one batch of records before a time. The head is written before and after the batch, so the
 * next call repeats a batch that was interrupted by a crash, with the same effect.
 * @returns "export_required" if not all of the records are known to be exported
 */
export async function pruneBatch(
  models: AuditModels,
  clientId: string,
  until: Date,
  release: ReleaseUnits,
): Promise<PrunedBatch | "export_required"> {
  const head = await models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>();
  if (head === null) return { pruned: 0, throughSeq: 0, isDone: true };
  const boundary = await lastSeqBefore(models, clientId, until);
  if (boundary > (head.exported_seq ?? 0)) return "export_required";
  return prune(models, head, boundary, release);
}

/**
 * Removes the contents of one batch of exported records before a time. Records that were not exported are kept until
 * they are.
 */
export async function pruneExported(
  models: AuditModels,
  clientId: string,
  until: Date,
  release: ReleaseUnits,
): Promise<PrunedBatch> {
  const head = await models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>();
  if (head === null) return { pruned: 0, throughSeq: 0, isDone: true };
  const boundary = Math.min(await lastSeqBefore(models, clientId, until), head.exported_seq ?? 0);
  return prune(models, head, boundary, release);
}

/**
 * Removes the contents of all records of a client, whether or not they were exported.
 * @returns how many records
 */
export async function forgetChain(
  models: AuditModels,
  clientId: string,
  release: ReleaseUnits,
  signal: AbortSignal,
): Promise<number> {
  let pruned = 0;
  while (!signal.aborted) {
    const head = await models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>();
    if (head === null) break;
    const { seq } = await readChainEnd(models, clientId);
    const batch = await prune(models, head, seq, release);
    pruned += batch.pruned;
    if (batch.isDone) break;
  }
  return pruned;
}

async function prune(
  { audits, heads }: AuditModels,
  head: AuditHeadDocument,
  boundary: number,
  release: ReleaseUnits,
): Promise<PrunedBatch> {
  const clientId = head._id;
  const from = head.pruned_done_seq ?? 0;
  // If an earlier call was interrupted, its pruning is finished first, in the same batches, so that units are not
  // returned twice.
  const unfinished = head.pruned_seq ?? 0;
  const target = unfinished > from ? unfinished : boundary;
  await collectionOf(heads).updateOne({ _id: clientId }, { $max: { pruned_seq: target } });
  const to = Math.min(target, (Math.floor(from / batchMax) + 1) * batchMax);
  if (to <= from) return { pruned: 0, throughSeq: from, isDone: true };
  await collectionOf(audits).updateMany(
    { project_client_id: clientId, seq: { $gt: from, $lte: to } },
    {
      $set: { pruned: true },
      $unset: {
        actor_id: "",
        action: "",
        resource_type: "",
        resource_id: "",
        outcome: "",
        commitments: "",
        correlation_id: "",
      },
    },
  );
  await release(clientId, to - from, `audit-prune:${from}-${to}`);
  await collectionOf(heads).updateOne({ _id: clientId }, { $max: { pruned_done_seq: to } });
  return { pruned: to - from, throughSeq: to, isDone: to >= Math.max(target, boundary) };
}
