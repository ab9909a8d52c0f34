import { type ChainBreak, createChainVerifier, emptyChain, type ProjectAudit } from "../domain/project-audit.ts";
import { readChainEnd } from "./append-project-audit.ts";
import {
  type AuditHeadDocument,
  type AuditModels,
  type ProjectAuditDocument,
  toProjectAudit,
} from "./project-audit-model.ts";

const pageMax = 1_000;

/** A client's records after a seq, oldest first, at most 1,000. */
export async function listProjectAudits(
  { audits }: AuditModels,
  clientId: string,
  afterSeq: number,
  limit: number,
): Promise<ProjectAudit[]> {
  const found = await audits
    .find({ project_client_id: clientId, seq: { $gt: afterSeq } })
    .sort({ seq: 1 })
    .limit(Math.min(limit, pageMax))
    .lean<ProjectAuditDocument[]>();
  return found.map(toProjectAudit);
}

/** How many records a client has. The chain has no gap and nothing is ever removed, so its last seq is the count. */
export async function countProjectAudits(models: AuditModels, clientId: string): Promise<number> {
  return (await readChainEnd(models, clientId)).seq;
}

/** Reads a client's whole chain, page by page, and compares it with the head kept apart, and with one kept elsewhere where there is one. */
export async function verifyProjectAudits(
  models: AuditModels,
  clientId: string,
  keptHead: string | null,
  signal: AbortSignal,
): Promise<{ length: number } | ChainBreak> {
  const head = await models.heads.findOne({ _id: clientId }).lean<AuditHeadDocument | null>();
  const verifier = createChainVerifier(clientId, head ?? emptyChain, keptHead);
  let afterSeq = -1;
  for (;;) {
    signal.throwIfAborted();
    const page = await listProjectAudits(models, clientId, afterSeq, pageMax);
    for (const audit of page) {
      const broken = verifier.judge(audit);
      if (broken !== null) return broken;
    }
    const last = page.at(-1);
    if (last === undefined) return verifier.finish();
    afterSeq = last.seq;
  }
}
