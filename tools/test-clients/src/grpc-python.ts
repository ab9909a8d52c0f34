import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { type Env, run } from "./commands.ts";
import { expect } from "./steps.ts";

const version = "1.85.1";

/** A Python client of proto/, generated into an empty folder and imported as it is, reads events. */
export function readEventsFromPython(folder: string, env: Env) {
  const generated = join(folder, "generated");
  return {
    "generates a client into an empty folder": async () => {
      await run("python3", ["-m", "venv", "venv"], { cwd: folder });
      await run("venv/bin/pip", ["install", "-q", `grpcio-tools==${version}`], { cwd: folder });
      mkdirSync(generated);
      const proto = join(repositoryRoot, "proto");
      const files = globSync("projectintegration/**/*.proto", { cwd: proto });
      const outputs = [`--python_out=${generated}`, `--grpc_python_out=${generated}`];
      await run("venv/bin/python", ["-m", "grpc_tools.protoc", `-I${proto}`, ...outputs, ...files], { cwd: folder });
    },
    "imports every module as it is, beside Python's own": async () => {
      const modules = globSync("**/*.py", { cwd: generated }).map((file) => file.slice(0, -3).replaceAll("/", "."));
      expect(modules.length > 10, `${modules.length} modules`);
      const program = `import platform, importlib\nassert platform.python_version()\nfor name in ${JSON.stringify(modules)}: importlib.import_module(name)`;
      await run("venv/bin/python", ["-c", program], { cwd: folder, env: { PYTHONPATH: generated } });
    },
    "reads events": async () => {
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
      const printed = await run("venv/bin/python", ["program.py"], {
        cwd: folder,
        env: { ...env, PYTHONPATH: generated },
      });
      expect(/^event \d+ [a-z.]+/.test(printed), `it printed ${printed}`);
    },
  };
}
