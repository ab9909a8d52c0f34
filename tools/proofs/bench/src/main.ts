import { loadavg } from "node:os";
import { resolve } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { createBench } from "./bench.ts";
import { readOptions } from "./options.ts";
import { ensurePeers } from "./peers.ts";
import { machineOf, rowLines, writeReport } from "./report.ts";
import type { Row, RowResult } from "./row.ts";
import { pipelineRow } from "./rows/b1-pipeline.ts";
import { hopRow } from "./rows/b3-hop.ts";
import { ingestRow } from "./rows/b6-ingest.ts";
import { callsRow } from "./rows/b7-calls.ts";
import { s3UploadsRow } from "./rows/b8-s3-uploads.ts";
import { uploadsRow } from "./rows/b8-uploads.ts";
import { soakRow } from "./rows/b12-soak.ts";
import { clusterRow } from "./rows/cluster.ts";
import { consoleRow } from "./rows/console.ts";
import { floodRow } from "./rows/flood.ts";
import { growthRow } from "./rows/growth.ts";
import { notifyRow } from "./rows/notify.ts";
import { peersRow } from "./rows/peers.ts";
import { retentionRow } from "./rows/retention.ts";
import { spineRow } from "./rows/spine.ts";
import { startRow } from "./rows/start.ts";
import { storeRow } from "./rows/store.ts";

/** Rows in the order of the report. */
const all: readonly Row[] = [
  ...[spineRow, pipelineRow, hopRow, ingestRow, callsRow, uploadsRow, s3UploadsRow],
  ...[notifyRow, floodRow, soakRow, storeRow, retentionRow, clusterRow],
  ...[peersRow, growthRow, consoleRow, startRow],
];

const mongodbUri = process.env.MONGODB_URI ?? "";
const read = readOptions(process.env);
// Results with a store that the caller provides have a report of their own.
const options = mongodbUri !== "" && read.rows.length === 0 ? { ...read, rows: ["STORE"] } : read;
const unknown = options.rows.filter((id) => !all.some((row) => row.id === id));
if (unknown.length > 0) {
  console.error(`no such row: ${unknown.join(", ")}; there are ${all.map((row) => row.id).join(", ")}`);
  process.exit(1);
}
const isChosen = ({ id, isOnRequest }: Row): boolean =>
  options.rows.length > 0
    ? options.rows.includes(id)
    : isOnRequest !== true || (id === "B12" && options.soakSeconds !== null);
ensurePeers();
const machine = await machineOf(mongodbUri);
console.log([`store      ${machine.store}`, ...machine.lines, ""].join("\n"));

const directory = resolve(repositoryRoot, process.env.BENCH_OUT ?? "tools/proofs/bench/reports");
const results: RowResult[] = [];
let failed = 0;
for (let table = 1; table <= options.repeat; table += 1) {
  if (options.repeat > 1) console.log(`Table ${table} of ${options.repeat}\n`);
  await measureRows();
}
console.log(`written to ${directory}`);
process.exit(failed === 0 ? 0 : 1);

/** Measures the chosen rows once, on platforms of their own. */
async function measureRows(): Promise<void> {
  const bench = createBench(options);
  for (const row of all.filter(isChosen)) {
    const { id, title } = row;
    console.log(`${id}  ${title}`);
    const [loadBefore = 0] = loadavg();
    try {
      const result = { id, title, loadBefore, ...(await row.run(bench)) };
      results.push(result);
      // The report is written after each row, so that an aborted run keeps its measurements.
      writeReport(directory, { machine, options, results });
      console.log(rowLines(result).slice(2).join("\n"));
    } catch (error) {
      failed += 1;
      console.error(`${id} could not be measured: ${(error as Error).stack}\n`);
    } finally {
      await bench.endRow();
    }
  }
  await bench.stop();
}
