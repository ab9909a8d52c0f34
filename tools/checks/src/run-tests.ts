import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runChecks } from "./run-checks.ts";
import { repositoryRoot } from "./source-files.ts";

type Counts = { passed: number; failed: number; skipped: number };

/** One ring of tests by vitest; a ring that ran nothing counts as failed. */
async function runRing(ring: string, results: string): Promise<Counts> {
  const report = join(results, `${ring}.json`);
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const args = [
    vitest,
    "run",
    "--project",
    ring,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  let counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, "utf8"),
    ) as Record<string, number>;
    counts = {
      passed: numPassedTests ?? 0,
      failed: numFailedTests ?? 0,
      skipped: (numPendingTests ?? 0) + (numTodoTests ?? 0),
    };
  } catch {
    console.log(`ring ${ring} left no report`);
  }
  // A run that failed without a failed test (a broken set-up, an unhandled error) is a failure all the same.
  if ((code !== 0 || counts.passed === 0) && counts.failed === 0) counts.failed = 1;
  return counts;
}

const results = mkdtempSync(join(tmpdir(), "test-results-"));
const total: Counts = { passed: 0, failed: 0, skipped: 0 };
const checked = await runChecks();
total.passed += checked.passed;
total.failed += checked.failed;
for (const ring of ["unit", "service", "acceptance", "alone", "faults"]) {
  const counts = await runRing(ring, results);
  for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
}
rmSync(results, { recursive: true, force: true });
const skipped = total.skipped === 0 ? "" : `, ${total.skipped} skipped`;
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;
