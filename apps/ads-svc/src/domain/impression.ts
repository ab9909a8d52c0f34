import type { AdFormat, Visibility } from "./viewability.ts";

/** A Viewable Impression before it has an ordinal in the campaign's ledger. */
export type ImpressionFacts = Visibility & {
  /** Id of the decision that the impression belongs to. */
  readonly id: string;
  readonly placement: string;
  readonly format: AdFormat;
  readonly issuedAt: Date;
};

/** A recorded Viewable Impression. */
export type Impression = ImpressionFacts & {
  readonly campaignId: string;
  /** Its ordinal in the campaign's ledger, counted from 1 without gaps. */
  readonly ordinal: number;
  readonly chargedMinor: number;
  /**
   * Present only in impressions after a budget raise: the budget from which this impression was charged, and the
   * number of impressions for which it had paid.
   */
  readonly chargeBasis: { readonly budgetMinor: number; readonly paid: number } | null;
  readonly recordedAt: Date;
};
