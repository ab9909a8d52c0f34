import { globSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { type Env, run } from "./commands.ts";
import { makeEmptyProject } from "./empty-project.ts";
import { installClient, runProgram } from "./nodes.ts";

const versions = { deno: "2.9.6", bun: "1.4.5" };

/** Runs the packed package, and its own tests, on Deno and Bun. */
export function runOnRuntimes(folder: string, env: Env) {
  const deno = join(folder, "node_modules/.bin/deno");
  const bun = join(folder, "node_modules/.bin/bun");
  const tests = globSync("libs/client/src/**/*.test.ts", { cwd: repositoryRoot }).map((file) => `./${file}`);
  const inRepository = { cwd: repositoryRoot, env: { NO_COLOR: "1" } };
  return {
    "is installed with Deno and Bun": async () => {
      makeEmptyProject(folder);
      await installClient(folder, [`deno@${versions.deno}`, `bun@${versions.bun}`]);
    },
    "runs on Deno": () => runProgram([deno, "run", "-A"], folder, env),
    "runs on Bun": () => runProgram([bun, "run"], folder, env),
    "passes its tests on Deno": () => {
      const vitest = ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "libs/client/src"];
      return run(deno, ["run", "-A", "--node-modules-dir=manual", ...vitest], inRepository);
    },
    "passes its tests on Bun": () => run(bun, ["test", ...tests], inRepository),
  };
}
