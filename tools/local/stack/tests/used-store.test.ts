import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceNames } from "@platform/contracts/services";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runDemoRequests } from "../src/demo-requests.ts";
import { freePortBase } from "../src/ports.ts";
import { runCtl } from "../src/run-ctl.ts";
import { readEnvFile } from "../src/settings.ts";
import { startStack } from "../src/stack.ts";

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo.close());

/** Starts a stack on the server as `make run` does in a clean checkout. Returns the services that reported that their keys do not decrypt their database. */
async function run(prefix: string): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), "platform-used-"));
  const stack = await startStack({
    directory,
    portBase: await freePortBase(),
    env: { MONGODB_URI: mongo.uri, MONGODB_DATABASE_PREFIX: prefix, SHED_DELAY_MS: "10000" },
  });
  try {
    await runCtl(directory, ["demo", "seed"]);
    await runDemoRequests({
      demo: readEnvFile(join(directory, "demo.env")),
      ctl: (args) => runCtl(directory, args),
      sinkUrl: stack.settings.SINK_URL ?? "",
      show: () => {},
    });
  } finally {
    await stack.stop();
  }
  const logs = await Promise.all(
    serviceNames.map(
      async (name) => [name, await readFile(join(directory, "logs", `${name}-svc.log`), "utf8")] as const,
    ),
  );
  await rm(directory, { recursive: true, force: true });
  return logs.filter(([, log]) => log.includes("MONGODB_DATABASE_PREFIX")).map(([name]) => name);
}

test("starts a stack with new keys on used databases, and logs which keys they need", async () => {
  const prefix = `${mongo.database}_`;
  expect(await run(prefix)).toEqual([]);
  expect(await run(prefix)).toEqual(serviceNames);
});

test("separates two stacks on one server by a prefix", async () => {
  expect(await run(`${mongo.database}_other_`)).toEqual([]);
});
