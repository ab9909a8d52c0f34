import type { Campaign } from "../domain/campaign.ts";
import { chargeOfOrdinal } from "../domain/charge.ts";
import type { ImpressionStore } from "../store/impressions.ts";

/** Result of a ledger's recount. */
export type LedgerAudit = {
  /** Impressions that were found in order, up to the first fault. */
  readonly impressions: number;
  /** The sum of their charges, added up one by one. */
  readonly chargedMinor: bigint;
  readonly fault: { readonly ordinal: number; readonly reason: "missing" | "wrong_charge" } | null;
};

const pageSize = 5_000;

/**
 * Reads a campaign's ledger from `afterOrdinal` on and compares every place and every charge with what it has to be.
 * @param signal stops between pages; what was found so far is the answer
 */
export async function auditLedger(
  store: ImpressionStore,
  campaign: Campaign,
  afterOrdinal: number,
  signal: AbortSignal,
): Promise<LedgerAudit> {
  let ordinal = afterOrdinal;
  let chargedMinor = 0n;
  while (!signal.aborted) {
    const page = await store.listAfter(campaign.id, ordinal, pageSize);
    for (const impression of page) {
      if (impression.ordinal !== ordinal + 1) {
        return { impressions: ordinal, chargedMinor, fault: { ordinal: ordinal + 1, reason: "missing" } };
      }
      if (impression.chargedMinor !== chargeOfOrdinal(campaign, impression.ordinal)) {
        return { impressions: ordinal, chargedMinor, fault: { ordinal: ordinal + 1, reason: "wrong_charge" } };
      }
      ordinal = impression.ordinal;
      chargedMinor += BigInt(impression.chargedMinor);
    }
    if (page.length < pageSize) break;
  }
  return { impressions: ordinal, chargedMinor, fault: null };
}
