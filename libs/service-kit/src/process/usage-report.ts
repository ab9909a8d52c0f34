/** Counts of one process since its previous report. */
export type UsageReport = {
  /** Names the process; 32 lowercase hex characters. */
  readonly reporterId: string;
  /** Counts its reports, from 1. */
  readonly sequence: number;
  readonly counts: readonly {
    readonly clientId: string;
    readonly kind: string;
    readonly hour: Date;
    readonly count: number;
  }[];
};
