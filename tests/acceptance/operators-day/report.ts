import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import type { Volume } from "./seed.ts";

/** Measurements in the order in which they were taken. */
export type Measured = { readonly what: string; readonly ms: number };

const begin = "<!-- operators-day -->";
const end = "<!-- /operators-day -->";
const path = join(repositoryRoot, "docs/operations.md");

/** Writes the measured times between the two markers in docs/operations.md. */
export function writeReport(volume: Volume, day: readonly Measured[], lists: readonly Measured[]): void {
  const text = readFileSync(path, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${path} has no place for the times`);
  const slowest = [...lists].sort((a, b) => b.ms - a.ms).slice(0, 5);
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  const table = [
    `Written by \`npm run operators-day\` on the embedded engine with ${thousands(volume.deliveries)} deliveries, ${thousands(volume.accounts)} accounts and ${thousands(volume.files)} files.`,
    "",
    "| asked | all commands, s |",
    "|---|---|",
    ...day.map(({ what, ms }) => `| ${what} | ${seconds(ms)} |`),
    "",
    `The slowest of ${lists.length} lists, without the start of the CLI:`,
    "",
    "| list | ms |",
    "|---|---|",
    ...slowest.map(({ what, ms }) => `| \`platformctl ${what}\` | ${Math.round(ms)} |`),
  ];
  writeFileSync(path, `${text.slice(0, from + begin.length)}\n${table.join("\n")}\n${text.slice(to)}`);
}

const thousands = (count: number): string => count.toLocaleString("en");

/** Formats the measurements for the output of the test. */
export function tableOf(title: string, rows: readonly Measured[]): string {
  const lines = rows.map(({ what, ms }) => `${ms.toFixed(0).padStart(8)} ms  ${what}`);
  return [title, ...lines].join("\n");
}
