import { behindMark } from "../report.ts";

/** The outcome of one target in one run. */
export type Verdict = {
  /** Id of the benchmark's row, such as B1. */
  readonly row: string;
  /** The target, with the names of its contenders instead of their numbers: `gateway / Fastify 5 ≥ 1.25`. */
  readonly target: string;
  /** The store of the platform if the report names another one than the embedded engine. */
  readonly store: "FerretDB" | null;
  /** The measured value, such as `1.23 ×`. */
  readonly value: string;
  readonly isMet: boolean;
  /** Day of the run, such as 2026-11-26. */
  readonly day: string;
  /** File name of the report. */
  readonly report: string;
};

const marks = [
  ["- met: ", true],
  ["- **missed**: ", false],
] as const;

/**
 * Reads the targets that a report calls met or missed (`rowLines` of report.ts writes them). A report may contain the same row several times.
 * @throws when the report does not say on which day it was written
 */
export function readReport(report: string, text: string): Verdict[] {
  const day = dayOf(report, text);
  const store = /^(?:# .*\b|store +)FerretDB\b/m.test(text) ? "FerretDB" : null;
  const verdicts: Verdict[] = [];
  let row = "";
  let contenders = new Map<string, string>();
  for (const line of text.split("\n")) {
    const id = rowOf(line);
    if (id !== undefined) {
      row = id;
      contenders = new Map();
    }
    const [, number, name] = /^\| (\(\d+\)) ([^|]+) \|/.exec(line) ?? [];
    if (number !== undefined && name !== undefined) contenders.set(number, withoutRemarks(name));
    for (const [mark, isMet] of marks) {
      if (!line.startsWith(mark)) continue;
      const end = line.lastIndexOf(": ");
      const target = line.slice(mark.length, end).replaceAll(/\(\d+\)/g, (one) => contenders.get(one) ?? one);
      verdicts.push({ row, target, store, value: line.slice(end + 2), isMet, day, report });
    }
  }
  return verdicts;
}

/** A note of a report about products that are faster than the platform. */
export type Behind = Pick<Verdict, "row" | "day" | "report"> & { readonly note: string };

/**
 * Reads which products a report calls faster than the platform, also those that leave out some of its work and have no target.
 * @throws when the report does not say on which day it was written
 */
export function readBehind(report: string, text: string): Behind[] {
  const day = dayOf(report, text);
  const mark = `- ${behindMark}`;
  let row = "";
  return text.split("\n").flatMap((line) => {
    row = rowOf(line) ?? row;
    return line.startsWith(mark) ? [{ row, note: line.slice(mark.length), day, report }] : [];
  });
}

function dayOf(report: string, text: string): string {
  const [day] = /\b\d{4}-\d{2}-\d{2}\b/.exec(text) ?? [];
  if (day === undefined) throw new Error(`${report} does not name the day of its run`);
  return day;
}

/** Returns the id of a row if the line is its title. */
const rowOf = (line: string): string | undefined => /^#{2,3} ([A-Z][A-Z0-9]*)(?= )/.exec(line)?.[1];

/** Returns the name of a contender without its remarks, which say whose it is and how much of the work it does. */
function withoutRemarks(name: string): string {
  return name.replace(" **(ours)**", "").replace(/: (?:same work|leaves out .*)$/, "");
}
