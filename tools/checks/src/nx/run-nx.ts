import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { tied } from "@platform/stack/child";
import { repositoryRoot } from "../source-files.ts";

/** Result of one task of Nx. */
export type TaskResult = {
  /** Name in the form `project:target`. */
  readonly id: string;
  readonly status: "success" | "failure" | "skipped" | "stopped" | "local-cache" | "local-cache-kept-existing";
  /** Output of a failed task. */
  readonly output: string;
  /** Parts that the task did not check because a program is missing. */
  readonly notChecked: readonly string[];
  /** Advice of a task that passed. */
  readonly warnings: readonly string[];
};

type RunOptions = {
  /** True to print the tasks' output as it arrives; otherwise nothing is printed. */
  readonly isShown?: boolean;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** Runs targets of every project that has them. A task that Nx did not reach is missing from the result, and `code` is not 0. */
export async function runNx(
  targets: readonly string[],
  { isShown = false, env = process.env }: RunOptions = {},
): Promise<{ readonly code: number; readonly tasks: readonly TaskResult[] }> {
  const folder = mkdtempSync(join(tmpdir(), "nx-"));
  const results = join(folder, "results.json");
  const bin = join(repositoryRoot, "node_modules/.bin");
  const nx = join(repositoryRoot, "node_modules/nx/dist/bin/nx.js");
  const args = [nx, "run-many", `--targets=${targets.join(",")}`, "--outputStyle=stream-without-prefixes"];
  const [command, tiedArgs] = tied(process.execPath, args);
  const child = spawn(command, tiedArgs, {
    cwd: repositoryRoot,
    env: {
      ...env,
      PATH: `${bin}${delimiter}${env.PATH ?? ""}`,
      NX_DAEMON: "false",
      NX_NO_CLOUD: "true",
      TASK_RESULTS: results,
    },
    stdio: ["ignore", isShown ? "inherit" : "ignore", isShown ? "inherit" : "pipe"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return { code: code ?? 1, tasks: JSON.parse(readFileSync(results, "utf8")) as TaskResult[] };
  } catch (error) {
    // Nx exited before it ran anything, for example because of a malformed nx.json.
    return {
      code: 1,
      tasks: [{ id: "nx", status: "failure", output: errors || String(error), notChecked: [], warnings: [] }],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
