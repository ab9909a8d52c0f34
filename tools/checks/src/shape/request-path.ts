import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { freePortBase } from "@platform/stack/ports";
import { runCtl } from "@platform/stack/run-ctl";
import { startStack } from "@platform/stack/stack";
import { eventually } from "@platform/test-kit/eventually";
import { repositoryRoot } from "../source-files.ts";

/**
 * The hand-written files that a reader opens to follow one POST /domain-events from the gateway's `main.ts` to the insert: those in which
 * a function runs during such a request, in the gateway and in the server of events-svc, and the entry points and wiring before them.
 * Counted by V8's own coverage of a real request against a local stack, so a detour through another file counts even if no name shows it.
 * @returns paths below the repository's root, sorted
 */
export async function requestPath(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "shape-"));
  const taken = join(directory, "coverage");
  mkdirSync(taken);
  const agent = pathToFileURL(join(import.meta.dirname, "coverage-agent.js")).href;
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    componentEnv: (name) =>
      name === "gateway" || name === "events-svc" ? { NODE_OPTIONS: `--import=${agent}`, SHAPE_DIRECTORY: taken } : {},
  });
  try {
    const credential = await issueCredential(directory);
    const publish = async (key: string): Promise<void> => {
      const answer = await fetch(`${stack.baseUrl}/api/v1/domain-events`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${credential}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        body: JSON.stringify({ type: "order.placed", schema_version: 1, data: { order: 1 } }),
      });
      if (answer.status !== 200) throw new Error(`publishing answered ${answer.status}: ${await answer.text()}`);
    };
    const files = new Set<string>();
    const take = async (): Promise<string[]> => {
      const urls: string[] = [];
      for (const name of ["gateway", "events-svc"]) {
        const path = join(taken, `${stack.pid(name)}.json`);
        process.kill(stack.pid(name), "SIGUSR2");
        await eventually(() => existsSync(path) && readFileSync(path, "utf8").endsWith("]"));
        urls.push(...(JSON.parse(readFileSync(path, "utf8")) as string[]));
        rmSync(path);
      }
      return urls.map((url) => relative(repositoryRoot, fileURLToPath(url)));
    };
    // What is loaded once (credentials, scripts, connections) is part of the way: the first request is counted too.
    await take();
    await publish("first");
    for (const path of await take()) files.add(path);
    for (const path of wiring) if (existsSync(join(repositoryRoot, path))) files.add(path);
    return [...files].filter(isHandWritten).sort();
  } finally {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Where a reader begins, and what connects it to the rest. */
const wiring = [
  "apps/gateway/src/main.ts",
  "apps/gateway/src/create-gateway.ts",
  "apps/events-svc/src/start-server.ts",
  "apps/events-svc/src/create-events-server.ts",
  "apps/events-svc/src/grpc/services.ts",
  "libs/service-kit/src/service/start-service.ts",
];

function isHandWritten(path: string): boolean {
  return (
    !path.startsWith("..") &&
    !path.includes("node_modules/") &&
    !path.includes("generated/") &&
    !path.includes("coverage-agent")
  );
}

async function issueCredential(directory: string): Promise<string> {
  const create = ["clients", "create", "--name", "Shape", "--environment", "development", "--json"];
  const { id } = (await runCtl(directory, create)) as { id: string };
  const issue = ["credentials", "issue", "--client", id, "--scopes", "events:write", "--json"];
  return ((await runCtl(directory, issue)) as { credential: string }).credential;
}
