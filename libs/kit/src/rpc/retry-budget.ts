/**
 * Limits retries to a share of the calls, so that a failing service does not receive several times as many calls as a
 * healthy one.
 */
export type RetryBudget = {
  /** Counts a call. */
  call(): void;
  /** Takes one retry from the budget; false if it is used up. */
  take(): boolean;
};

/** Number of retries per call on average, and the maximum number in one burst. */
const share = 0.1;
const burst = 100;

/** Creates a budget of one retry for ten calls: a token bucket to which each call adds a tenth of a retry. */
export function createRetryBudget(): RetryBudget {
  let left = burst;
  return {
    call: () => {
      left = Math.min(burst, left + share);
    },
    take: () => {
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
