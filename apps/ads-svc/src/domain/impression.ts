import type { AdFormat, Visibility } from "./viewability.ts";

/** A Viewable Impression before it has its place in the campaign's ledger. */
export type ImpressionFacts = Visibility & {
  /** Id of the decision it comes from. */
  readonly id: string;
  readonly placement: string;
  readonly format: AdFormat;
  readonly issuedAt: Date;
};

/** A recorded Viewable Impression. */
export type Impression = ImpressionFacts & {
  readonly campaignId: string;
  /** Its place in the campaign's ledger, from 1, without gaps. */
  readonly ordinal: number;
  readonly chargedMinor: number;
  /** Once the campaign's budget was raised: the budget this was judged by, and how many impressions were paid for with it. */
  readonly judged: { readonly budgetMinor: number; readonly paid: number } | null;
  readonly recordedAt: Date;
};
