import type { Counts } from "@platform/checks/nx/run-ring";

/** Counts what holds and what does not, and says what does not. */
export type Judge = (what: string, holds: boolean, why?: string) => void;

export function createJudge(say: (text: string) => void): { readonly judge: Judge; readonly counts: Counts } {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  return {
    counts,
    judge: (what, holds, why = "") => {
      if (holds) counts.passed += 1;
      else {
        counts.failed += 1;
        say(`failed: ${what}: ${why.trim().slice(0, 2_000)}`);
      }
    },
  };
}
