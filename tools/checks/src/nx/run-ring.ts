import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tied } from "@platform/stack/child";
import { repositoryRoot } from "../source-files.ts";
import { failureReason } from "./failure-reason.ts";
import { runNx } from "./run-nx.ts";
import { type Counts, countsOf, failuresOf, projectsWith, readReport, reportPath, skippedOf } from "./test-report.ts";

export type { Counts } from "./test-report.ts";

/** Failed tests with the first lines of each reason, repeated at the end of a long output. */
const failures: string[] = [];
/** Tests that did not run. */
const skipped: string[] = [];

/**
 * One ring of tests: the Nx target of that name in every project that has it. Unit tests that passed on the same inputs come from the cache; rings
 * that use a store always run. A project that ran nothing counts as failed.
 */
export async function runRing(
  ring: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Counts> {
  rmSync(join(repositoryRoot, ".local/test-reports", ring), { recursive: true, force: true });
  const { tasks } = await runNx([ring], { isShown: true, env });
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const folder of projectsWith(ring)) {
    const report = readReport(ring, folder);
    const counts = report === null ? { passed: 0, failed: 0, skipped: 0 } : countsOf(report);
    const named = report === null ? [] : failuresOf(ring, report);
    failures.push(...named);
    skipped.push(...(report === null ? [] : skippedOf(ring, report)));
    const task = tasks.find(({ id }) => id === `${nameOf(folder)}:${ring}`);
    const status = task?.status ?? "not run";
    // A run that failed without a failed test (a broken set-up, an unhandled error) is a failure all the same.
    const isWell = ["success", "local-cache", "local-cache-kept-existing"].includes(status) && counts.passed > 0;
    if (!isWell && counts.failed === 0) {
      counts.failed = 1;
      if (named.length === 0)
        failures.push(
          `failed: ${ring} of ${folder}: ${status}, and no failed test: ${failureReason(task?.output ?? "")}`,
        );
    }
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  return total;
}

/** The name of the project in a folder. */
function nameOf(folder: string): string {
  return (JSON.parse(readFileSync(join(repositoryRoot, folder, "package.json"), "utf8")) as { name: string }).name;
}

/** Some files of a ring in one run, wherever they lie. A run without a passed test counts as failed. */
export async function runFiles(
  ring: string,
  files: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Counts> {
  const report = reportPath(ring, "chosen-files");
  rmSync(report, { force: true });
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
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
  const [code] = (await once(child, "close")) as [number | null];
  const read = readReport(ring, "chosen-files");
  const counts = read === null ? { passed: 0, failed: 0, skipped: 0 } : countsOf(read);
  if (read !== null) {
    failures.push(...failuresOf(ring, read));
    skipped.push(...skippedOf(ring, read));
  }
  if ((code !== 0 || counts.passed === 0) && counts.failed === 0) {
    failures.push(`failed: ${ring} ended with ${code} and no failed test: ${failureReason(output)}`);
    return { ...counts, failed: 1 };
  }
  return counts;
}

/** Adds up what the rings came to, prints what failed and the closing line, and sets the exit code. */
export function reportTotal(all: readonly Counts[]): void {
  const total = (key: keyof Counts): number => all.reduce((sum, counts) => sum + counts[key], 0);
  for (const line of [...skipped, ...failures]) console.log(line);
  const notRun = total("skipped") === 0 ? "" : `, ${total("skipped")} skipped`;
  console.log(`${total("passed")} passed, ${total("failed")} failed${notRun}`);
  process.exitCode = total("failed") === 0 ? 0 : 1;
}
