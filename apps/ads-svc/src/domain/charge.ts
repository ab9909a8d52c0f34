/** What a campaign pays: a price for 1000 impressions and a ceiling, both in minor units of its currency, both never changing. */
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
 *
 * It is a function of the ordinal and of nothing else, so whoever knows the ordinal knows the charge. The charges of ordinals 1..n add up
 * to floor(n × cpm / 1000) for every n, as long as the budget lasts. The first impression the budget cannot pay in full is charged
 * nothing, and so is every later one: worth grows with the ordinal, so once above the budget it stays above.
 */
export function chargeOfOrdinal(terms: CampaignTerms, ordinal: number): number {
  const worth = worthOf(terms, BigInt(ordinal));
  if (worth > BigInt(terms.budgetMinor)) return 0;
  return Number(worth - worthOf(terms, BigInt(ordinal) - 1n));
}

/** The last ordinal the budget pays for: the largest k with floor(k × cpm / 1000) ≤ budget; null when the price is 0. */
export function lastPaidOrdinal(terms: CampaignTerms): number | null {
  if (terms.cpmMinor === 0) return null;
  const last = ((BigInt(terms.budgetMinor) + 1n) * impressionsPerPrice - 1n) / BigInt(terms.cpmMinor);
  // Ordinals stay within the safe integers; a budget that lasts longer is never exhausted.
  return last >= BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(last);
}

/** What a campaign with this many impressions has been charged in all, in minor units. */
export function chargedAfter(terms: CampaignTerms, impressions: number): number {
  const lastPaid = lastPaidOrdinal(terms);
  const paid = lastPaid === null ? impressions : Math.min(impressions, lastPaid);
  return Number(worthOf(terms, BigInt(paid)));
}

/** Has an impression been recorded that the budget could not pay? */
export function isExhausted(terms: CampaignTerms, impressions: number): boolean {
  const lastPaid = lastPaidOrdinal(terms);
  return lastPaid !== null && impressions > lastPaid;
}
