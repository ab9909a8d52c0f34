/**
 * What a campaign pays: a price for 1000 impressions and a budget, both in minor units of its currency. The budget
 * may be raised.
 */
export type CampaignTerms = {
  readonly cpmMinor: number;
  readonly budgetMinor: number;
};

const impressionsPerPrice = 1000n;

/**
 * The price of `impressions` impressions in whole minor units: floor(impressions × cpm / 1000). It is exact for every
 * safe integer.
 */
function worthOf(terms: CampaignTerms, impressions: bigint): bigint {
  return (impressions * BigInt(terms.cpmMinor)) / impressionsPerPrice;
}

/**
 * The charge of the impression with this ordinal (1 for the campaign's first one), in minor units.
 * It depends on the ordinal only. For every n, the charges of the ordinals 1 to n add up to floor(n × cpm / 1000), as
 * long as the budget lasts. The first impression that the budget cannot pay in full is charged nothing. The same
 * holds for every later one, because the total price grows with the ordinal.
 */
export function chargeOfOrdinal(terms: CampaignTerms, ordinal: number): number {
  const worth = worthOf(terms, BigInt(ordinal));
  if (worth > BigInt(terms.budgetMinor)) return 0;
  return Number(worth - worthOf(terms, BigInt(ordinal) - 1n));
}

/** The end of a ledger: its last ordinal, and the number of impressions that the budget has paid for. */
export type LedgerEnd = { readonly ordinal: number; readonly paid: number };

/**
 * The end of a ledger whose budget was never raised. The budget has paid for every impression up to the last one that
 * it covered.
 */
export function endOf(terms: CampaignTerms, ordinal: number): LedgerEnd {
  return { ordinal, paid: Math.min(ordinal, lastPaidOrdinal(terms) ?? ordinal) };
}

/**
 * The charge of the next impression, and the end of the ledger after it. If the budget has never changed, the charge
 * equals `chargeOfOrdinal`. After a raise, impressions that the earlier budget could not pay stay free and do not
 * count for later charges.
 */
export function chargeNext(
  terms: CampaignTerms,
  end: LedgerEnd,
): { readonly chargedMinor: number; readonly end: LedgerEnd } {
  const ordinal = end.ordinal + 1;
  const worth = worthOf(terms, BigInt(end.paid) + 1n);
  if (worth > BigInt(terms.budgetMinor)) return { chargedMinor: 0, end: { ordinal, paid: end.paid } };
  return {
    chargedMinor: Number(worth - worthOf(terms, BigInt(end.paid))),
    end: { ordinal, paid: end.paid + 1 },
  };
}

/**
 * The last ordinal for which the budget pays: the largest k with floor(k × cpm / 1000) ≤ budget. Null if the price is
 * 0.
 */
export function lastPaidOrdinal(terms: CampaignTerms): number | null {
  if (terms.cpmMinor === 0) return null;
  const last = ((BigInt(terms.budgetMinor) + 1n) * impressionsPerPrice - 1n) / BigInt(terms.cpmMinor);
  // Ordinals are always safe integers, so a budget that lasts longer is never exhausted.
  return last >= BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(last);
}

/** The total charge of a campaign, given the end of its ledger, in minor units. */
export function chargedAfter(terms: CampaignTerms, { paid }: LedgerEnd): number {
  return Number(worthOf(terms, BigInt(paid)));
}

/**
 * Returns whether the budget is exhausted: an impression that exceeded it was recorded, and it cannot pay for another
 * one.
 */
export function isExhausted(terms: CampaignTerms, { ordinal, paid }: LedgerEnd): boolean {
  const lastPaid = lastPaidOrdinal(terms);
  return lastPaid !== null && paid >= lastPaid && ordinal > paid;
}
