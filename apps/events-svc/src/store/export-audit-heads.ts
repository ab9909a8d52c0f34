import type { AuditHeadDocument, AuditModels } from "./project-audit-model.ts";

/** The head of a client's chain: its length and the hash of its last record. */
export type AuditHead = { readonly clientId: string; readonly length: number; readonly hash: string };

/** Finds heads that have not been exported on `day`, except those of the given clients. */
export async function findHeadsToExport(
  { heads }: AuditModels,
  day: string,
  limit: number,
  except: readonly string[],
): Promise<AuditHead[]> {
  const found = await heads
    .find({ exported_on: { $ne: day }, ...(except.length === 0 ? {} : { _id: { $nin: [...except] } }) })
    .limit(limit)
    .lean<AuditHeadDocument[]>();
  return found.map(({ _id, seq, hash }) => ({ clientId: _id, length: seq, hash }));
}

/** Records that a head was exported on `day`. */
export async function markHeadExported({ heads }: AuditModels, clientId: string, day: string): Promise<void> {
  await heads.updateOne({ _id: clientId }, { $set: { exported_on: day } });
}
