import type { Verdict } from "./read-report.ts";
import { reasons, rowsWithTarget } from "./reasons.ts";

/** All outcomes of one target on the newest day on which its row was measured. */
type Target = { readonly row: string; readonly target: string; readonly outcomes: readonly Verdict[] };

/**
 * Returns the lines of the page that say what is met, what is missed and why, in Markdown. Of each row only the newest day counts.
 * @throws when a target is missed without a reason
 */
export function verdictLines(verdicts: readonly Verdict[]): string[] {
  const targets = newestTargets(verdicts);
  const missed = new Set(targets.flatMap(({ row, outcomes }) => (outcomes.every(({ isMet }) => isMet) ? [] : [row])));
  const absent = rowsWithTarget.filter((id) => !targets.some(({ row }) => row === id));
  return [
    "| row | target | measured | result | report |",
    "|---|---|---:|---|---|",
    ...targets.map(tableLine),
    "",
    ...[...missed].map((row) => `- **${row}** misses a target. ${reasonOf(row)}`),
    ...(absent.length === 0 ? [] : [`- No kept report has a target of ${absent.join(", ")}.`]),
  ];
}

/** Returns reports of which no outcome counts, because newer reports contain all of their rows. */
export function replacedReports(verdicts: readonly Verdict[]): string[] {
  const counted = new Set(newestTargets(verdicts).flatMap(({ outcomes }) => outcomes.map(({ report }) => report)));
  return [...new Set(verdicts.map(({ report }) => report))].filter((report) => !counted.has(report));
}

function reasonOf(row: string): string {
  const reason = reasons[row];
  if (reason === undefined) throw new Error(`a target of ${row} is missed; give the reason in verdicts/reasons.ts`);
  return reason;
}

/** Returns the targets in the order of the rows. Results about the previous version do not count as targets. */
function newestTargets(verdicts: readonly Verdict[]): Target[] {
  const ids = new Set([...rowsWithTarget, ...verdicts.map(({ row }) => row)]);
  return [...ids].flatMap((row) => {
    const ofRow = verdicts.filter((one) => one.row === row && !one.target.startsWith("before: "));
    const newest = ofRow
      .map(({ day }) => day)
      .toSorted()
      .at(-1);
    const byTarget = Map.groupBy(
      ofRow.filter(({ day }) => day === newest),
      ({ target }) => target,
    );
    return [...byTarget].map(([target, outcomes]) => ({ row, target, outcomes }));
  });
}

function tableLine({ row, target, outcomes }: Target): string {
  const met = outcomes.filter(({ isMet }) => isMet).length;
  const result = met === outcomes.length ? "met" : met === 0 ? "**missed**" : `**met in ${met} of ${outcomes.length}**`;
  const values = outcomes.map(({ value }) => value).join("; ");
  const reports = new Map(outcomes.map(({ report, day }) => [report, day]));
  const links = [...reports].map(([report, day]) => `[${day}](../../tools/proofs/bench/reports/${report})`).join(", ");
  return `| ${[row, target, values, result, links].join(" | ")} |`;
}
