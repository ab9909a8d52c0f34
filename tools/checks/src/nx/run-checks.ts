import { runNx, type TaskResult } from "./run-nx.ts";
import type { Counts } from "./test-report.ts";

/** Targets of `make check`; those of one project are in its package.json, those of the repository in the root's. */
const targets = [
  "lint",
  "typecheck",
  "imports",
  "unused",
  "breaking",
  "generated",
  "manifests",
  "alerts",
  "prose",
] as const;

const isFailed = ({ status }: TaskResult): boolean => ["failure", "skipped", "stopped"].includes(status);

/** Runs every check by Nx and prints one line per target, with its failures and skipped parts below it. */
export async function runChecks(): Promise<Counts> {
  const startedAtMs = performance.now();
  const { code, tasks } = await runNx(targets);
  for (const target of [...targets, "nx"]) {
    const own = tasks.filter(({ id }) => (id === "nx" ? target === "nx" : id.endsWith(`:${target}`)));
    if (own.length === 0) continue;
    const failed = own.filter(isFailed);
    const notChecked = own.flatMap((task) => task.notChecked);
    const cached = own.filter(({ status }) => status.startsWith("local-cache")).length;
    console.log(
      `${failed.length > 0 ? "FAIL" : notChecked.length > 0 ? "skip" : "ok  "} ${target} (${own.length} ${own.length === 1 ? "task" : "tasks"}, ${cached} cached)`,
    );
    for (const line of [...notChecked, ...own.flatMap((task) => task.warnings)]) console.log(`     ${line}`);
    for (const { id, output } of failed) console.log(`${id}\n${output}`.replace(/^/gm, "     "));
  }
  console.log(`checked in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  return countTasks(code, tasks);
}

/** Counts the results of tasks. A task that skipped a part has neither passed nor failed. A run that failed without a failed task counts as one failure. */
export function countTasks(code: number, tasks: readonly TaskResult[]): Counts {
  const failed = tasks.filter(isFailed).length;
  const skipped = tasks.filter((task) => !isFailed(task) && task.notChecked.length > 0).length;
  return { passed: tasks.length - failed - skipped, failed: code !== 0 && failed === 0 ? 1 : failed, skipped };
}

if (import.meta.main) {
  const { failed } = await runChecks();
  process.exitCode = failed === 0 ? 0 : 1;
}
