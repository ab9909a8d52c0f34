import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { tied } from "@platform/stack/child";
import { repositoryRoot } from "../source-files.ts";
import { failureReason } from "./failure-reason.ts";
import {
  type Counts,
  countsOf,
  failuresOf,
  passedFolders,
  projectsWith,
  readReport,
  reportPath,
  skippedOf,
} from "./test-report.ts";

export type { Counts } from "./test-report.ts";

/** Failed tests with the first lines of each reason. They are repeated at the end, because the output is long. */
const failures: string[] = [];
/** Tests that did not run. */
const skipped: string[] = [];

/** Time in which vitest ends its workers and what the ring started globally, such as a whole platform on a slow machine. */
const endsWithinMs = 120_000;

/**
 * Runs the tests of a ring in every project, in one run of vitest. A project of which no test passed counts as failed.
 * @param graceMs time after the last test in which vitest must end
 */
export async function runRing(
  ring: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  graceMs = endsWithinMs,
): Promise<Counts> {
  const counts = await runFiles(ring, [], env, graceMs);
  const passed = passedFolders(readReport(ring, "all"));
  const idle = projectsWith(ring).filter((folder) => !passed.has(folder));
  if (idle.length === 0 || counts.failed > 0) return counts;
  failures.push(...idle.map((folder) => `failed: ${ring} of ${folder}: none of its tests passed`));
  return { ...counts, failed: idle.length };
}

/**
 * Runs some files of a ring in one run, in any folders; all of them if none is given. A run without a passed test
 * counts as failed. Prints its duration and its slowest files.
 * @param graceMs time after the last test in which vitest must end; otherwise it is ended, which counts as a failure
 */
export async function runFiles(
  ring: string,
  files: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  graceMs = endsWithinMs,
): Promise<Counts> {
  const startedAtMs = performance.now();
  const name = files.length === 0 ? "all" : "chosen-files";
  const report = reportPath(ring, name);
  rmSync(report, { force: true });
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const slowest = join(import.meta.dirname, "slowest-files.ts");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`, `--reporter=${slowest}`];
  const [command, args] = tied(process.execPath, [vitest, "run", "--project", ring, ...reporters, ...files]);
  const child = spawn(command, args, { cwd: repositoryRoot, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      to.write(chunk);
    });
  }
  const closed = once(child, "close") as Promise<[number | null, string | null]>;
  const isStuck = await endsTooLate(closed, report, graceMs);
  if (isStuck) child.kill("SIGKILL");
  const [code, signal] = await closed;
  console.log(`${ring}: ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  const read = readReport(ring, name);
  const counts = read === null ? { passed: 0, failed: 0, skipped: 0 } : countsOf(read);
  const named = read === null ? [] : failuresOf(ring, read);
  failures.push(...named);
  if (read !== null) skipped.push(...skippedOf(ring, read));
  if (isStuck) {
    const line = /Timeout terminating .*/.exec(output)?.[0] ?? "no worker is named";
    failures.push(`failed: ${ring}: the tests have ended, but vitest has not: a test left a program running (${line})`);
    return { ...counts, failed: counts.failed + 1 };
  }
  // A run that failed without a failed test (a broken set-up, an unhandled error) still counts as a failure.
  if ((code !== 0 || counts.passed === 0) && counts.failed === 0) {
    if (named.length === 0) {
      const how = signal === null ? `ended with ${code}` : `was ended by ${signal}`;
      failures.push(`failed: ${ring} ${how}, and no failed test: ${failureReason(output)}`);
    }
    return { ...counts, failed: 1 };
  }
  return counts;
}

/**
 * Returns whether a run has not ended `graceMs` after its report was written. vitest waits for every holder of a worker's output, thus for every program that
 * a test started and did not end.
 */
async function endsTooLate(closed: Promise<unknown>, report: string, graceMs: number): Promise<boolean> {
  const over = new AbortController();
  const tooLate = (async () => {
    while (!existsSync(report)) await delay(1_000, undefined, over);
    await delay(graceMs, undefined, over);
    return true;
  })().catch(() => false);
  const isLate = await Promise.race([closed.then(() => false), tooLate]);
  over.abort();
  return isLate;
}

/** Sums up the results of the rings, prints the failures and the closing line, and sets the exit code. */
export function reportTotal(all: readonly Counts[]): void {
  const total = (key: keyof Counts): number => all.reduce((sum, counts) => sum + counts[key], 0);
  for (const line of [...skipped, ...failures]) console.log(line);
  const notRun = total("skipped") === 0 ? "" : `, ${total("skipped")} skipped`;
  console.log(`${total("passed")} passed, ${total("failed")} failed${notRun}`);
  process.exitCode = total("failed") === 0 ? 0 : 1;
}
