import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { type Env, run } from "./commands.ts";
import { expect } from "./steps.ts";

const versions = { grpcioTools: "1.85.1", protocGenGo: "v1.36.12", protocGenGoGrpc: "v1.6.2" };
const proto = join(repositoryRoot, "proto");
const goEnv = { GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };

/** The protobuf compiler, from PyPI: a folder's own. */
async function installProtoc(folder: string): Promise<(outputs: readonly string[]) => Promise<string>> {
  await run("python3", ["-m", "venv", "venv"], { cwd: folder });
  await run("venv/bin/pip", ["install", "-q", `grpcio-tools==${versions.grpcioTools}`], { cwd: folder });
  const files = globSync("projectintegration/**/*.proto", { cwd: proto });
  return (outputs) =>
    run("venv/bin/python", ["-m", "grpc_tools.protoc", `-I${proto}`, ...outputs, ...files], { cwd: folder });
}

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

/** A Python client of proto/, generated into an empty folder and imported as it is, reads events with a consumer token. */
export function readEventsFromPython(folder: string, env: Env) {
  const generated = join(folder, "generated");
  return {
    "generates a client into an empty folder": async () => {
      const protoc = await installProtoc(folder);
      mkdirSync(generated);
      await protoc([`--python_out=${generated}`, `--grpc_python_out=${generated}`]);
    },
    "imports every module as it is, beside Python's own": async () => {
      const modules = globSync("**/*.py", { cwd: generated }).map((file) => file.slice(0, -3).replaceAll("/", "."));
      expect(modules.length > 10, `${modules.length} modules`);
      const program = `import platform, importlib\nassert platform.python_version()\nfor name in ${JSON.stringify(modules)}: importlib.import_module(name)`;
      await run("venv/bin/python", ["-c", program], { cwd: folder, env: { PYTHONPATH: generated } });
    },
    "reads events with a consumer token": async () => {
      await publishEvent(env);
      const options = { cwd: folder, env: { ...env, PYTHONPATH: generated } };
      expectEvent(await run("venv/bin/python", ["program.py"], options));
    },
  };
}

/** The same in Go: every service of proto/ compiles. */
export function readEventsFromGo(folder: string, env: Env) {
  return {
    "generates a client": async () => {
      const protoc = await installProtoc(folder);
      const bin = join(folder, "bin");
      const plugins = [
        `google.golang.org/protobuf/cmd/protoc-gen-go@${versions.protocGenGo}`,
        `google.golang.org/grpc/cmd/protoc-gen-go-grpc@${versions.protocGenGoGrpc}`,
      ];
      for (const plugin of plugins) await run("go", ["install", plugin], { env: { ...goEnv, GOBIN: bin } });
      await protoc([
        ...["go", "go-grpc"].map((name) => `--plugin=${join(bin, `protoc-gen-${name}`)}`),
        ...["go", "go-grpc"].flatMap((name) => [`--${name}_out=${folder}`, `--${name}_opt=module=projectintegration`]),
      ]);
    },
    "compiles every package": async () => {
      await run("go", ["mod", "tidy"], { cwd: folder, env: goEnv });
      await run("go", ["build", "-o", "program", "."], { cwd: folder, env: goEnv });
      await run("go", ["build", "./..."], { cwd: folder, env: goEnv });
    },
    "reads events with a consumer token": async () => {
      await publishEvent(env);
      expectEvent(await run(join(folder, "program"), [], { env }));
    },
  };
}
