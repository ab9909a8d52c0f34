import { type Page, type PageRequest, readPage } from "@platform/kit/store/documents";
import type { AuditHeadDocument, AuditModels } from "./project-audit-model.ts";
import { verifyProjectAudits } from "./read-project-audits.ts";

/** A chain and the result of its last verification. */
export type AuditChain = {
  readonly clientId: string;
  readonly length: number;
  readonly state: "holds" | "broken" | "not_verified";
  readonly verifiedAt: Date | null;
  readonly verifiedSeq: number;
  readonly brokenSeq: number;
  readonly reason: string;
  readonly exportedSeq: number;
  readonly prunedSeq: number;
};

/** A page of the chains of all clients, or the chain of one client. */
export async function listAuditChains(
  { heads }: AuditModels,
  clientId: string,
  request: PageRequest,
): Promise<Page<AuditChain>> {
  const page = await readPage(heads, clientId === "" ? {} : { _id: clientId }, request, {
    order: { by: "_id", direction: 1 },
  });
  return { items: page.items.map(toChain), nextCursor: page.nextCursor };
}

function toChain({ _id, seq, verification, exported_seq = 0, pruned_seq = 0 }: AuditHeadDocument): AuditChain {
  const fields = { clientId: _id, length: seq, exportedSeq: exported_seq, prunedSeq: pruned_seq };
  if (verification === undefined)
    return { ...fields, state: "not_verified", verifiedAt: null, verifiedSeq: 0, brokenSeq: 0, reason: "" };
  const { at, verified_seq, broken_seq, reason } = verification;
  return {
    ...fields,
    state: reason === undefined ? "holds" : "broken",
    verifiedAt: at,
    verifiedSeq: verified_seq,
    brokenSeq: broken_seq ?? 0,
    reason: reason ?? "",
  };
}

/** Finds chains that have not been verified on the given day. */
export async function findChainsToVerify(
  { heads }: AuditModels,
  day: string,
  limit: number,
  except: readonly string[],
): Promise<string[]> {
  const others = except.length === 0 ? {} : { _id: { $nin: [...except] } };
  const found = await heads
    .find({ "verification.on": { $ne: day }, ...others }, { _id: 1 })
    .limit(limit)
    .lean<{ _id: string }[]>();
  return found.map(({ _id }) => _id);
}

/**
 * Verifies a chain and records the result with its head.
 * @returns the fault, or null if the chain is valid
 */
export async function verifyChain(
  models: AuditModels,
  clientId: string,
  now: Date,
  signal: AbortSignal,
): Promise<{ readonly seq: number; readonly reason: string } | null> {
  const result = await verifyProjectAudits(models, clientId, null, signal);
  const broken = "length" in result ? null : result;
  const verification = {
    at: now,
    on: now.toISOString().slice(0, 10),
    ...("length" in result
      ? { verified_seq: result.length }
      : { verified_seq: Math.max(0, result.seq - 1), broken_seq: result.seq, reason: result.reason }),
  };
  await models.heads.updateOne({ _id: clientId }, { $set: { verification } });
  return broken;
}

/**
 * The number of broken chains, and the time of the oldest last verification among all chains; null if there is no
 * chain.
 */
export async function auditChainFigures({
  heads,
}: AuditModels): Promise<{ readonly broken: number; readonly verifiedSince: Date | null }> {
  const [broken, oldest] = await Promise.all([
    heads.countDocuments({ "verification.reason": { $exists: true } }),
    heads
      .findOne({ "verification.at": { $exists: true } }, { verification: 1 })
      .sort({ "verification.at": 1 })
      .lean<Pick<AuditHeadDocument, "verification"> | null>(),
  ]);
  return { broken, verifiedSince: oldest?.verification?.at ?? null };
}
