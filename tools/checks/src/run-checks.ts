import { checks } from "./checks.ts";

/** Runs every check and prints one line each, with the problems below it. @returns how many passed and failed */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  let failed = 0;
  for (const check of checks) {
    const startedAtMs = Date.now();
    const problems = await check.problems();
    const seconds = ((Date.now() - startedAtMs) / 1000).toFixed(1);
    console.log(`${problems.length === 0 ? "ok  " : "FAIL"} ${check.name} (${seconds} s)`);
    for (const problem of problems) console.log(problem.replace(/^/gm, "     "));
    if (problems.length > 0) failed += 1;
  }
  return { passed: checks.length - failed, failed };
}

if (import.meta.main) {
  const { failed } = await runChecks();
  process.exitCode = failed === 0 ? 0 : 1;
}
