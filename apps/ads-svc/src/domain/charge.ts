/** What a campaign pays: a price for 1000 impressions and a ceiling, both in minor units of its currency. The ceiling may be raised. */
export type CampaignTerms = {
  readonly cpmMinor: number;
  readonly budgetMinor: number;
};

const impressionsPerPrice = 1000n;

/** Whole minor units that `impressions` impressions are worth: floor(impressions × cpm / 1000). Exact for every safe integer. */
function worthOf(terms: CampaignTerms, impressions: bigint): bigint {
  return (impressions * BigInt(terms.cpmMinor)) / impressionsPerPrice;
}

/**
 * The charge of the impression with this ordinal (1 for the campaign's first), in minor units.
 * The ordinal alone decides the charge. The charges of ordinals 1..n sum to floor(n × cpm / 1000) for every n, as long as the budget lasts. The first
 * impression the budget cannot pay in full is charged nothing, and so is every later one, because worth grows with the ordinal.
 */
export function chargeOfOrdinal(terms: CampaignTerms, ordinal: number): number {
  const worth = worthOf(terms, BigInt(ordinal));
  if (worth > BigInt(terms.budgetMinor)) return 0;
  return Number(worth - worthOf(terms, BigInt(ordinal) - 1n));
}

/** The end of a ledger: its last ordinal, and the number of impressions that the budget has paid for. */
export type LedgerEnd = { readonly ordinal: number; readonly paid: number };

/**
 * The end of a ledger whose budget was never raised: the budget paid for every impression up to the last one that it
 * covered.
 */
export function endOf(terms: CampaignTerms, ordinal: number): LedgerEnd {
  return { ordinal, paid: Math.min(ordinal, lastPaidOrdinal(terms) ?? ordinal) };
}

/**
 * The charge of the next impression, and the end of the ledger after it. Under a constant budget it equals `chargeOfOrdinal`. After a raise,
 * impressions the earlier budget could not pay stay free and do not count for later charges.
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

/** The last ordinal the budget pays for: the largest k with floor(k × cpm / 1000) ≤ budget; null when the price is 0. */
export function lastPaidOrdinal(terms: CampaignTerms): number | null {
  if (terms.cpmMinor === 0) return null;
  const last = ((BigInt(terms.budgetMinor) + 1n) * impressionsPerPrice - 1n) / BigInt(terms.cpmMinor);
  // Ordinals stay within the safe integers; a budget that lasts longer is never exhausted.
  return last >= BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(last);
}

/** The total charge of a campaign, given the end of its ledger, in minor units. */
export function chargedAfter(terms: CampaignTerms, { paid }: LedgerEnd): number {
  return Number(worthOf(terms, BigInt(paid)));
}

/** True if the budget is exhausted: an impression was recorded that exceeded it, and no further one fits. */
export function isExhausted(terms: CampaignTerms, { ordinal, paid }: LedgerEnd): boolean {
  const lastPaid = lastPaidOrdinal(terms);
  return lastPaid !== null && paid >= lastPaid && ordinal > paid;
}
