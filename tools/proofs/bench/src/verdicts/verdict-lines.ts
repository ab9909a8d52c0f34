import type { Behind, Verdict } from "./read-report.ts";
import { reasons, rowsWithTarget } from "./reasons.ts";

/** All outcomes of one target on the newest day on which its row was measured on a store. */
type Target = { readonly row: string; readonly target: string; readonly outcomes: readonly Verdict[] };

/**
 * Returns the lines of the page that say what is met, what is missed and why, in Markdown. Of each row and store only the newest day counts. Missed targets come first,
 * and faster products before the reasons.
 * @throws when a target is missed without a reason
 */
export function verdictLines(verdicts: readonly Verdict[], behind: readonly Behind[] = []): string[] {
  const targets = newestTargets(verdicts).toSorted((a, b) => Number(isMet(a)) - Number(isMet(b)));
  const counted = new Set(targets.flatMap(({ row, outcomes }) => outcomes.map(({ report }) => `${row} ${report}`)));
  const missed = new Set(targets.filter((target) => !isMet(target)).map(reasonLine));
  const absent = rowsWithTarget.filter((id) => !targets.some(({ row }) => row === id));
  return [
    "| row | target | measured | result | report |",
    "|---|---|---:|---|---|",
    ...targets.map(tableLine),
    "",
    ...behind
      .filter(({ row, report }) => counted.has(`${row} ${report}`))
      .map(({ row, note, report, day }) => `- **${row}**, ${linkTo(report, day)}: ${note}`),
    ...missed,
    ...(absent.length === 0 ? [] : [`- No kept report has a target of ${absent.join(", ")}.`]),
  ];
}

/** Returns reports of which no outcome counts, because newer reports contain all of their rows. */
export function replacedReports(verdicts: readonly Verdict[]): string[] {
  const counted = new Set(newestTargets(verdicts).flatMap(({ outcomes }) => outcomes.map(({ report }) => report)));
  return [...new Set(verdicts.map(({ report }) => report))].filter((report) => !counted.has(report));
}

/** Renders the reason of a missed target. Targets with the same reason have the same line. */
function reasonLine({ row, target }: Target): string {
  const found = reasons.find((one) => one.row === row && target.includes(one.target));
  if (found === undefined)
    throw new Error(`a target of ${row} is missed: ${target}; give the reason in verdicts/reasons.ts`);
  return `- **${row}** misses ${found.target === "" ? "a target" : `a target of “${found.target}”`}. ${found.reason}`;
}

/** Returns the targets in the order of the rows. Results about the previous version do not count as targets. */
function newestTargets(verdicts: readonly Verdict[]): Target[] {
  const ofPresent = verdicts.filter(({ target }) => !target.startsWith("before: "));
  const ids = new Set([...rowsWithTarget, ...verdicts.map(({ row }) => row)]);
  return [...ids].flatMap((row) => {
    const ofRow = ofPresent.filter((one) => one.row === row);
    const byStore = Map.groupBy(ofRow, ({ store }) => store);
    return [...byStore].flatMap(([store, ofStore]) => {
      const byTarget = Map.groupBy(ofNewestDay(ofStore), ({ target }) => target);
      return [...byTarget].map(([target, outcomes]) => ({
        row,
        target: store === null ? target : `on ${store}: ${target}`,
        outcomes,
      }));
    });
  });
}

function ofNewestDay(verdicts: readonly Verdict[]): Verdict[] {
  const newest = verdicts
    .map(({ day }) => day)
    .toSorted()
    .at(-1);
  return verdicts.filter(({ day }) => day === newest);
}

const isMet = ({ outcomes }: Target): boolean => outcomes.every((outcome) => outcome.isMet);

const linkTo = (report: string, day: string): string => `[${day}](../../tools/proofs/bench/reports/${report})`;

function tableLine({ row, target, outcomes }: Target): string {
  const met = outcomes.filter((outcome) => outcome.isMet).length;
  const result = met === outcomes.length ? "met" : met === 0 ? "**missed**" : `**met in ${met} of ${outcomes.length}**`;
  const values = outcomes.map(({ value }) => value).join("; ");
  const reports = new Map(outcomes.map(({ report, day }) => [report, day]));
  const links = [...reports].map(([report, day]) => linkTo(report, day)).join(", ");
  return `| ${[row, target, values, result, links].join(" | ")} |`;
}
