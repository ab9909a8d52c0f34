import type { Measured, RowResult } from "../row.ts";
import { median, spread } from "../row.ts";

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/** `12,345 (11,900–12,800)` */
function ranged({ median, min, max }: { median: number; min: number; max: number }): string {
  return `${figure(median)} (${figure(min)}–${figure(max)})`;
}

/** Answers that were no success, over all runs; they must be none. */
export function refusalsOf(measured: Measured): string {
  const sums = new Map<string, number>();
  for (const { refusals } of measured.samples) {
    for (const [name, count] of Object.entries(refusals)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return sums.size === 0 ? "0" : [...sums].map(([name, count]) => `${count} × ${name}`).join(", ");
}

/** What other machines had of the cores while this was measured: `3 % (0–12)`. */
function stealOf({ samples }: Measured): string {
  const percents = samples.flatMap(({ steal }) => (steal === null ? [] : [Math.round(steal * 100)]));
  if (percents.length === 0) return "–";
  return `${Math.round(median(percents))} % (${Math.min(...percents)}–${Math.max(...percents)})`;
}

function cells(measured: Measured): string[] {
  return [
    `${measured.name}${measured.role === "ours" ? " **(ours)**" : ""}`,
    `${ranged(spread(measured, "perSecond"))} ${measured.unit}`,
    ranged(spread(measured, "p50Ms")),
    ranged(spread(measured, "p99Ms")),
    refusalsOf(measured),
    stealOf(measured),
  ];
}

const heading = ["", "rate", "p50 ms", "p99 ms", "not 2xx", "steal"];

/** A row's table for the terminal. */
export function rowLines(result: RowResult): string[] {
  const table = [heading, ...result.measured.map((one) => cells(one).map((text) => text.replaceAll("**", "")))];
  const widths = heading.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  return [
    ...table.map((line) => `    ${line.map((text, column) => text.padEnd(widths[column] ?? 0)).join("  ")}`),
    ...result.checks.map(
      (check) =>
        `    ${check.met === null ? "ratio " : check.met ? "met   " : "MISSED"}  ${check.text}: ${check.value}`,
    ),
    ...result.notes.map((note) => `    ${note}`),
  ];
}

/** A row's part of the Markdown report. */
export function rowMarkdown(result: RowResult): string[] {
  return [
    `## ${result.id} ${result.title}`,
    "",
    `| ${heading.join(" | ")} |`,
    `|---|---:|---:|---:|---:|---:|`,
    ...result.measured.map((one) => `| ${cells(one).join(" | ")} |`),
    "",
    ...result.checks.map(
      (check) =>
        `- ${check.met === null ? "no target" : check.met ? "met" : "**missed**"}: ${check.text}: ${check.value}`,
    ),
    ...result.notes.map((note) => `- ${note}`),
    "",
    `![${result.title}](${result.id.toLowerCase()}.svg)`,
    "",
  ];
}
