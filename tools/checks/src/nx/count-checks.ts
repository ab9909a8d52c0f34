import type { Counts } from "./test-report.ts";

/** Counts one statement that is true or false. @param why output of the program that explains why a statement is false */
export type Check = (what: string, holds: boolean, why?: string) => void;

/** Only the last lines are printed, because programs print the reason of a failure last. */
const shownCharsMax = 2_000;

/** Counts statements as a ring counts tests, for `reportTotal`, and prints each false one. */
export function createChecks(say: (text: string) => void): { readonly check: Check; readonly counts: Counts } {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    counts,
    check: (what, holds, why = "") => {
      if (holds) counts.passed += 1;
      else {
        counts.failed += 1;
        say(`failed: ${what}: ${why.trim().slice(-shownCharsMax)}`);
      }
    },
  };
}
