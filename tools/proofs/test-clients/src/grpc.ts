import { globSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { type Env, run } from "./commands.ts";
import { runPrinted } from "./printed-commands.ts";
import { expect } from "./steps.ts";

/** Links the folder of the proto files to the place where the documented commands expect it. */
const linkProto = (folder: string): void => symlinkSync(join(repositoryRoot, "proto"), join(folder, "proto"));

async function publishEvent(env: Env): Promise<void> {
  const response = await fetch(`${env.BASE_URL}/api/v1/domain-events`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${env.PROJECT_CREDENTIAL}`,
      "idempotency-key": crypto.randomUUID(),
      "content-type": "application/json",
    },
    body: JSON.stringify({ type: "order.shipped", schema_version: 1, data: {} }),
  });
  expect(response.ok, `publishing was answered ${response.status}`);
}

const expectEvent = (printed: string): void => expect(/^event \d+ [a-z.]+/.test(printed), `it printed ${printed}`);

/** Generates a Python client of proto/ in an empty folder, imports it, and reads events with a consumer token. */
export function readEventsFromPython(folder: string, env: Env) {
  const generated = join(folder, "generated");
  return {
    "generates a client into an empty folder": async () => {
      linkProto(folder);
      await runPrinted(folder, "Generate", env);
    },
    "imports every module as it is, beside Python's own": async () => {
      const modules = globSync("**/*.py", { cwd: generated }).map((file) => file.slice(0, -3).replaceAll("/", "."));
      expect(modules.length > 10, `${modules.length} modules`);
      const program = `import platform, importlib\nassert platform.python_version()\nfor name in ${JSON.stringify(modules)}: importlib.import_module(name)`;
      await run("venv/bin/python", ["-c", program], { cwd: folder, env: { PYTHONPATH: generated } });
    },
    "reads events with a consumer token": async () => {
      await publishEvent(env);
      expectEvent(await runPrinted(folder, "Run", env));
    },
  };
}

/** Does the same in Go, where every service of proto/ must compile. */
export function readEventsFromGo(folder: string, env: Env) {
  return {
    "generates a client": async () => {
      linkProto(folder);
      await runPrinted(folder, "Generate", env);
    },
    "compiles every package": async () => {
      await runPrinted(folder, "Compile", env);
      await run("go", ["build", "./..."], { cwd: folder });
    },
    "reads events with a consumer token": async () => {
      await publishEvent(env);
      expectEvent(await runPrinted(folder, "Run", env));
    },
  };
}
