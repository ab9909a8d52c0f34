import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestNats } from "@platform/test-kit/nats";
import { startTestRedis } from "@platform/test-kit/redis";
import { startTestS3 } from "@platform/test-kit/s3";
import { endChild } from "@platform/test-kit/test-process";
import { MongoClient } from "mongodb";
import { afterEach, expect, test } from "vitest";
import { freePortBase } from "../src/ports.ts";
import { repositoryRoot } from "../src/stack.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}, 120_000);

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "platform-given-"));
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test("keeps files, events, documents and counters of make run in the user's own stores", async () => {
  const [s3, nats, redis, mongo] = await Promise.all([
    startTestS3(),
    startTestNats(),
    startTestRedis(),
    startTestMongo(),
  ]);
  cleanups.push(s3.close, nats.close, redis.close, mongo.close);
  const prefix = `given_${process.pid}_`;
  const child = spawn(process.execPath, [join(repositoryRoot, "tools/local/stack/src/main.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      STACK_DIR: await temporaryDirectory(),
      STACK_PORT_BASE: `${await freePortBase()}`,
      MONGODB_URI: mongo.uri,
      MONGODB_DATABASE_PREFIX: prefix,
      REDIS_URL: redis.url,
      NATS_URL: nats.url,
      ...s3.env,
    },
  });
  cleanups.push(() => endChild(child, "SIGTERM"));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await eventually(() => lines.some((line) => line.startsWith("READY ")) || child.exitCode !== null, {
    timeoutMs: 120_000,
    what: "the stack is ready",
  });
  expect(lines.at(-1)).toMatch(/^READY /);
  expect((await readdir(s3.folder, { recursive: true })).join("\n")).toMatch(
    /objects\/[0-9a-f]{2}\/[0-9a-f]{2}\/[0-9a-f]{64}\./,
  );
  const driver = await MongoClient.connect(mongo.uri);
  cleanups.push(() => driver.close());
  const events = driver.db(`${prefix}events`).collection("domain_events");
  await eventually(async () => (await events.countDocuments({ relay_state: "relayed" })) > 0, {
    what: "the event is relayed to NATS",
  });
  expect((await readdir(nats.directory, { recursive: true })).join("\n")).toContain("DOMAIN_EVENTS");
});
