import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { tied } from "@platform/stack/child";
import { repositoryRoot } from "./source-files.ts";

export type Counts = { passed: number; failed: number; skipped: number };

/** What the rings left failed, with the first line of each reason: said again at the end of a long output. */
const failures: string[] = [];

/** What of vitest's JSON report is read here. */
type Report = {
  readonly numPassedTests?: number;
  readonly numFailedTests?: number;
  readonly numPendingTests?: number;
  readonly numTodoTests?: number;
  readonly testResults?: readonly {
    readonly name: string;
    readonly message?: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

function failuresOf(ring: string, report: Report): string[] {
  return (report.testResults ?? []).flatMap((file) => {
    const line = (what: string, why: string | undefined): string =>
      `failed: ${ring} ${relative(repositoryRoot, file.name)} ${what}: ${(why ?? "").split("\n", 3).join(" | ")}`;
    const tests = file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => line(`"${test.fullName}"`, test.failureMessages?.[0]));
    return tests.length === 0 && file.status === "failed" ? [line("(the file)", file.message)] : tests;
  });
}

/** One ring of tests by vitest, or some of its files; a ring that ran nothing counts as failed. */
export async function runRing(
  ring: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  files: readonly string[] = [],
): Promise<Counts> {
  const results = mkdtempSync(join(tmpdir(), "test-results-"));
  const report = join(results, "report.json");
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const [command, args] = tied(process.execPath, [vitest, "run", "--project", ring, ...files, ...reporters]);
  const child = spawn(command, args, { cwd: repositoryRoot, env, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    const read = JSON.parse(readFileSync(report, "utf8")) as Report;
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = read;
    failures.push(...failuresOf(ring, read));
    counts = {
      passed: numPassedTests ?? 0,
      failed: numFailedTests ?? 0,
      skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0),
    };
  } catch {
    console.log(`ring ${ring} left no report`);
  }
  rmSync(results, { recursive: true, force: true });
  // A run that failed without a failed test (a broken set-up, an unhandled error) is a failure all the same.
  if ((code !== 0 || counts.passed === 0) && counts.failed === 0) {
    counts.failed = 1;
    failures.push(`failed: ring ${ring} ended with ${code} and no failed test`);
  }
  return counts;
}

/** Adds up what the rings came to, prints what failed and the closing line, and sets the exit code. */
export function reportTotal(all: readonly Counts[]): void {
  const total = (key: keyof Counts): number => all.reduce((sum, counts) => sum + counts[key], 0);
  for (const failure of failures) console.log(failure);
  const skipped = total("skipped") === 0 ? "" : `, ${total("skipped")} skipped`;
  console.log(`${total("passed")} passed, ${total("failed")} failed${skipped}`);
  process.exitCode = total("failed") === 0 ? 0 : 1;
}
