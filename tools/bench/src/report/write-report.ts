import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchOptions, RowResult } from "../row.ts";
import { barChart } from "./bar-chart.ts";
import type { Machine } from "./machine.ts";
import { rowMarkdown } from "./markdown.ts";

export type Report = {
  readonly machine: Machine;
  readonly options: BenchOptions;
  readonly results: readonly RowResult[];
};

/** Writes `results.json`, `results.md` and a chart for each row. A run of some rows writes only these, beside `results-<rows>`. */
export function writeReport(directory: string, { machine, options, results }: Report): void {
  mkdirSync(directory, { recursive: true });
  const name = options.rows.length === 0 ? "results" : `results-${options.rows.join("-").toLowerCase()}`;
  const document = { at: new Date().toISOString(), machine: machine.lines, options, results };
  writeFileSync(join(directory, `${name}.json`), `${JSON.stringify(document, null, 2)}\n`);
  // Where the report goes says nothing about what is measured.
  const settings = Object.entries(process.env).filter(
    ([key]) => key === "PIN" || (key.startsWith("BENCH_") && key !== "BENCH_OUT"),
  );
  const command = [
    ...["make bench", `RUNS=${options.runs}`, `SECONDS=${options.seconds}`],
    ...(options.rows.length === 0 ? [] : [`ROWS=${options.rows.join(",")}`]),
    ...(options.soakSeconds === null ? [] : [`SOAK=${options.soakSeconds}`]),
    ...settings.map(([key, value]) => `${key}=${value}`),
  ].join(" ");
  const lines = [
    "# Benchmark results",
    "",
    `One run of \`${command}\`, ${document.at.slice(0, 10)}. Each figure is the median of ${options.runs} runs of ${options.seconds} s, with the least and the greatest in brackets.`,
    "What is compared ran interleaved, in the same minutes on the same machine: read the ratios. How to read the rows, and why a target is missed: [README](README.md).",
    "",
    "```",
    ...machine.lines,
    "```",
    "",
    ...results.flatMap(rowMarkdown),
  ];
  writeFileSync(join(directory, `${name}.md`), lines.join("\n"));
  for (const result of results) writeFileSync(join(directory, `${result.id.toLowerCase()}.svg`), barChart(result));
}
