/** Retries that are allowed for a number of calls, so that a callee in trouble is not asked several times as often as a healthy one. */
export type RetryBudget = {
  /** Counts a call. */
  call(): void;
  /** Takes one retry from the budget; false when it is used up. */
  take(): boolean;
};

/** Retries per call in the long run, and those that a burst of failures may take together. */
const share = 0.1;
const burst = 100;

/** A budget of a tenth of the calls: a token bucket that each call fills by a tenth of a retry. */
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
