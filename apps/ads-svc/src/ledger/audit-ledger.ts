import { type Campaign, firstTerms, ledgerEnd } from "../domain/campaign.ts";
import { type CampaignTerms, chargeNext } from "../domain/charge.ts";
import type { Impression } from "../domain/impression.ts";
import type { ImpressionStore } from "../store/impressions.ts";

/** Result of a ledger audit. */
export type LedgerAudit = {
  /** Number of impressions that were found in order, up to the first fault. */
  readonly impressions: number;
  /** The sum of the charges that the entries record. */
  readonly chargedMinor: bigint;
  readonly fault: { readonly ordinal: number; readonly reason: "missing" | "wrong_charge" } | null;
};

const pageSize = 5_000;

/**
 * Reads a campaign's ledger after `afterOrdinal` and checks every ordinal and charge.
 * @param signal stops the audit between two pages; it then returns the result so far
 */
export async function auditLedger(
  store: ImpressionStore,
  campaign: Campaign,
  afterOrdinal: number,
  signal: AbortSignal,
): Promise<LedgerAudit> {
  let end = await endAt(store, campaign, afterOrdinal);
  let isTracked = end.isTracked;
  let chargedMinor = 0n;
  const faultOf = (impression: Impression): "missing" | "wrong_charge" | null => {
    if (impression.ordinal !== end.ordinal + 1) return "missing";
    const { chargeBasis } = impression;
    const terms = chargeBasis === null ? firstTerms(campaign) : termsOf(campaign, chargeBasis.budgetMinor);
    // If one entry records the number of paid impressions, every later one must do so as well.
    if (terms === null || (chargeBasis === null && isTracked)) return "wrong_charge";
    const next = chargeNext(terms, end);
    if (impression.chargedMinor !== next.chargedMinor || (chargeBasis?.paid ?? next.end.paid) !== next.end.paid) {
      return "wrong_charge";
    }
    end = { ...next.end, isTracked: chargeBasis !== null };
    isTracked = chargeBasis !== null;
    return null;
  };
  while (!signal.aborted) {
    const page = await store.listAfter(campaign.id, end.ordinal, pageSize);
    for (const impression of page) {
      const reason = faultOf(impression);
      if (reason !== null) {
        return { impressions: end.ordinal, chargedMinor, fault: { ordinal: end.ordinal + 1, reason } };
      }
      chargedMinor += BigInt(impression.chargedMinor);
    }
    if (page.length < pageSize) break;
  }
  return { impressions: end.ordinal, chargedMinor, fault: null };
}

/** Returns the end of the ledger up to a position that was audited before. */
export async function endAt(store: ImpressionStore, campaign: Campaign, ordinal: number) {
  const last = ordinal === 0 ? null : await store.findByOrdinal(campaign.id, ordinal);
  const paid = last?.chargeBasis?.paid ?? null;
  return { ...ledgerEnd(campaign, ordinal, paid), isTracked: paid !== null };
}

/** The terms by which an impression was charged. */
export function termsOfImpression(campaign: Campaign, { chargeBasis }: Impression): CampaignTerms {
  return chargeBasis === null
    ? firstTerms(campaign)
    : { cpmMinor: campaign.cpmMinor, budgetMinor: chargeBasis.budgetMinor };
}

/** The terms with one of the budgets that the campaign has or had; null for any other budget. */
function termsOf(campaign: Campaign, budgetMinor: number): CampaignTerms | null {
  const isKnown = budgetMinor === campaign.budgetMinor || campaign.earlierBudgets.includes(budgetMinor);
  return isKnown ? { cpmMinor: campaign.cpmMinor, budgetMinor } : null;
}
