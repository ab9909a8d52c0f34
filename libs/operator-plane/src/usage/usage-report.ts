/** Counts of one process since its previous report. */
export type UsageReport = {
  /** Identifies the process; 32 lowercase hex characters. */
  readonly reporterId: string;
  /** Sequence number of the report, from 1. */
  readonly sequence: number;
  readonly counts: readonly {
    /** What the count belongs to: a Project Client or a campaign. */
    readonly ownerId: string;
    readonly kind: string;
    readonly hour: Date;
    readonly count: number;
  }[];
};
