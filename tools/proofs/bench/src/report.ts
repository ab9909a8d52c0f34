import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import { canPin } from "@platform/stack/placement";
import { repositoryRoot } from "@platform/stack/stack";
import { MongoClient } from "mongodb";
import type { BenchOptions } from "./options.ts";
import { type Measured, type RowResult, spread } from "./row.ts";

/** Description of the machine and programs of a run. */
export type Machine = { readonly store: string; readonly lines: readonly string[] };

/** @param mongodbUri URI of the store that the caller provides; "" for the store of the stack */
export async function machineOf(mongodbUri: string): Promise<Machine> {
  const load = loadavg().map((figure) => figure.toFixed(2));
  return {
    store: mongodbUri === "" ? ownStore() : await givenStore(mongodbUri),
    lines: [
      `machine    ${availableParallelism()} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}`,
      `node       ${process.version}`,
      `redis      ${versionOf("redis-server") ?? "given"}`,
      `load       ${load.join(" ")} before the run (1, 5, 15 minutes)`,
      `placement  ${canPin ? "measured process on core 0, generator on the last core, the rest between" : "left to the kernel"}`,
    ],
  };
}

function ownStore(): string {
  const mongod = versionOf("mongod");
  if (mongod !== null) return `MongoDB ${mongod}`;
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, "tools/embedded-mongo/package.json"), "utf8"));
  return `the embedded engine ${version}`;
}

async function givenStore(uri: string): Promise<string> {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000 });
  try {
    const info = await client.db("admin").command({ buildInfo: 1 });
    if (info.ferretdb === undefined) return `MongoDB ${info.version}`;
    return `FerretDB ${info.ferretdb.version}, ${info.ferretdb.package ?? "PostgreSQL with DocumentDB"}`;
  } finally {
    await client.close();
  }
}

function versionOf(command: string): string | null {
  try {
    return /\d+\.\d+(\.\d+)?/.exec(execFileSync(command, ["--version"], { encoding: "utf8" }))?.[0] ?? null;
  } catch {
    return null;
  }
}

const figure = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(value >= 10 ? 1 : 2);

/** Formats a figure as `12,345 (11,900–12,800)`. */
function ranged(measured: Measured, of: "perSecond" | "p50Ms" | "p99Ms"): string {
  const { median, min, max } = spread(measured, of);
  return max === 0 ? "–" : `${figure(median)} (${figure(min)}–${figure(max)})`;
}

/** Unsuccessful responses of all runs. */
function refusalsOf({ samples }: Measured): string {
  const sums = new Map<string, number>();
  for (const { refusals } of samples)
    for (const [name, count] of Object.entries(refusals)) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums.size === 0 ? "0" : [...sums].map(([name, count]) => `${count} × ${name}`).join(", ");
}

/** Marks a note about products that are faster than the platform. */
export const behindMark = "**behind**: ";
/** Returns whether a note names products that are faster than the platform. Such notes come before the targets. */
export const isBehind = (note: string): boolean => note.startsWith(behindMark);

/** Renders the part of the report about one row. Its contenders are numbered, and its checks refer to the numbers. */
export function rowLines({ id, title, loadBefore, measured, checks, notes }: RowResult): string[] {
  const verdict = { true: "met", false: "**missed**", null: "no target" };
  const units = new Set(measured.map((one) => one.unit));
  const numbers = measured
    .map(({ name }, index) => ({ name, number: `(${index + 1})` }))
    .sort((a, b) => b.name.length - a.name.length);
  const byNumber = (text: string): string =>
    numbers.reduce((short, { name, number }) => short.replaceAll(name, number), text);
  return [
    ...[
      `## ${id} ${title}`,
      "",
      `Load average of the minute before the row: ${loadBefore.toFixed(2)}.`,
      "",
      `|  | ${units.size === 1 ? [...units][0] : "rate"} | p50 ms | p99 ms | not 2xx |`,
      "|---|---:|---:|---:|---:|",
    ],
    ...measured.map((one, index) => {
      const work = one.work === undefined ? "" : `: ${one.work}`;
      const name = `(${index + 1}) ${one.name}${work}${one.role === "ours" ? " **(ours)**" : ""}`;
      const rate = units.size === 1 ? ranged(one, "perSecond") : `${ranged(one, "perSecond")} ${one.unit}`;
      return `| ${[name, rate, ranged(one, "p50Ms"), ranged(one, "p99Ms"), refusalsOf(one)].join(" | ")} |`;
    }),
    "",
    ...notes.filter(isBehind).map((note) => `- ${note}`),
    // A ratio without a target is omitted, because the reader can compute it from the table.
    ...checks
      .map(({ text, value, met }) => `- ${verdict[`${met}`]}: ${byNumber(text)}: ${value}`)
      .filter((line) => !/^- no target: \(\d+\) \/ \(\d+\)/.test(line)),
    ...notes.filter((note) => !isBehind(note)).map((note) => `- ${note}`),
    "",
  ];
}

/** Writes `results.md`, or `results-<rows>.md` if only some rows were run. */
export function writeReport(
  directory: string,
  { machine, options, results }: { machine: Machine; options: BenchOptions; results: readonly RowResult[] },
): void {
  const { rows, runs, seconds, repeat, soakSeconds, before } = options;
  const settings = Object.entries(process.env).filter(([key]) =>
    ["PIN", "PEERS", "BENCH_CALLS", "BENCH_UPLOAD_MB"].includes(key),
  );
  const command = [
    `make bench RUNS=${runs} SECONDS=${seconds}`,
    ...(repeat === 1 ? [] : [`REPEAT=${repeat}`]),
    ...(rows.length === 0 ? [] : [`ROWS=${rows.join(",")}`]),
    ...(soakSeconds === null ? [] : [`SOAK=${soakSeconds}`]),
    ...(before === null ? [] : ["BEFORE=…"]),
    ...settings.map(([key, value]) => `${key}=${value}`),
  ].join(" ");
  const lines = [
    `# Benchmark results on ${machine.store}`,
    "",
    `One run of \`${command}\`, ${new Date().toISOString().slice(0, 10)}: medians of ${runs} runs of ${seconds} s, least and greatest in brackets.${repeat === 1 ? "" : ` Each row is measured ${repeat} times.`} [How to read it](../../../../docs/benchmarks/README.md).`,
    ...["", "```", ...machine.lines, "```", "", ...results.flatMap(rowLines)],
  ];
  mkdirSync(directory, { recursive: true });
  const name = rows.length === 0 ? "results" : `results-${rows.join("-").toLowerCase()}`;
  writeFileSync(join(directory, `${name}.md`), lines.join("\n"));
}
