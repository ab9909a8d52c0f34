import { resolve } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { createBench } from "./bench.ts";
import { readOptions } from "./options.ts";
import { ensurePeers } from "./peers.ts";
import { machineOf } from "./report/machine.ts";
import { rowLines } from "./report/markdown.ts";
import { writeReport } from "./report/write-report.ts";
import type { RowResult } from "./row.ts";
import { storeVersion } from "./rows/store.ts";
import { rows } from "./rows.ts";

const read = readOptions(process.argv.slice(2), process.env);
const givenMongo = process.env.MONGODB_URI ?? "";
// A store of the caller's own has a table of its own: what it makes of the platform's writes.
const options = givenMongo !== "" && read.rows.length === 0 ? { ...read, rows: ["STORE"] } : read;
const chosen =
  options.rows.length === 0
    ? rows.filter((row) => row.isOnRequest !== true || options.soakSeconds !== null)
    : rows.filter((row) => options.rows.includes(row.id));
const unknown = options.rows.filter((id) => !rows.some((row) => row.id === id));
if (unknown.length > 0) {
  console.error(`no such row: ${unknown.join(", ")}; there are ${rows.map((row) => row.id).join(", ")}`);
  process.exit(1);
}
ensurePeers();
const machine = await machineOf(givenMongo === "" ? null : await storeVersion(givenMongo));
console.log(machine.lines.join("\n"));
console.log(`${options.runs} runs of ${options.seconds} s each, after a warm-up\n`);

const directory = resolve(repositoryRoot, process.env.BENCH_OUT ?? "docs/benchmarks");
const bench = createBench(options);
const results: RowResult[] = [];
let failed = 0;
try {
  for (const row of chosen) {
    console.log(`${row.id}  ${row.title}`);
    try {
      const result = { id: row.id, title: row.title, ...(await row.run(bench)) };
      results.push(result);
      // After each row, so that a run that is broken off has what it measured.
      writeReport(directory, { machine, options, results });
      console.log(`${rowLines(result).join("\n")}\n`);
    } catch (error) {
      failed += 1;
      console.error(`${row.id} could not be measured: ${(error as Error).stack}\n`);
    } finally {
      await bench.endRow();
    }
  }
} finally {
  await bench.stop();
}
console.log(`written to ${directory}`);
process.exit(failed === 0 ? 0 : 1);
