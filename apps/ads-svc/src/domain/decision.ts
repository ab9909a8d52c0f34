import type { AdFormat } from "./viewability.ts";

/** An ad decision, which allows a placement to show a campaign once. It is the content of a decision token. */
export type Decision = {
  /** UUIDv7. The impression that results from the decision has the same id. */
  readonly id: string;
  readonly campaignId: string;
  readonly projectClientId: string | null;
  readonly placement: string;
  readonly format: AdFormat;
  readonly cpmMinor: number;
  readonly currency: string;
  /** Time of issue in whole seconds, as in a NumericDate of RFC 7519. */
  readonly issuedAt: Date;
  /** Time from which the token is rejected. */
  readonly expiresAt: Date;
};

/** Maximum lifetime of a decision token in seconds. Retired keys are accepted for the same time. */
export const decisionSecondsMax = 86_400;
export const decisionsPerCallMax = 1000;
export const placementLengthMax = 120;
