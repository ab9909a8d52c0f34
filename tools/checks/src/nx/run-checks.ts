import { runNx } from "./run-nx.ts";

/** Targets of `make check`; those of one project are in its package.json, those of the repository in the root's. */
const targets = ["lint", "typecheck", "imports", "unused", "breaking", "generated", "manifests"] as const;

/** Runs every check by Nx and prints one line a target, with what failed below it. @returns how many tasks passed and failed */
export async function runChecks(): Promise<{ passed: number; failed: number }> {
  const startedAtMs = performance.now();
  const { code, tasks } = await runNx(targets);
  const isFailed = (status: string): boolean => ["failure", "skipped", "stopped"].includes(status);
  for (const target of [...targets, "nx"]) {
    const own = tasks.filter(({ id }) => (id === "nx" ? target === "nx" : id.endsWith(`:${target}`)));
    if (own.length === 0) continue;
    const failed = own.filter(({ status }) => isFailed(status));
    const cached = own.filter(({ status }) => status.startsWith("local-cache")).length;
    console.log(
      `${failed.length === 0 ? "ok  " : "FAIL"} ${target} (${own.length} ${own.length === 1 ? "task" : "tasks"}, ${cached} cached)`,
    );
    for (const { id, output } of failed) console.log(`${id}\n${output}`.replace(/^/gm, "     "));
  }
  console.log(`checked in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
  const failed = tasks.filter(({ status }) => isFailed(status)).length;
  return { passed: tasks.length - failed, failed: code !== 0 && failed === 0 ? 1 : failed };
}

if (import.meta.main) {
  const { failed } = await runChecks();
  process.exitCode = failed === 0 ? 0 : 1;
}
