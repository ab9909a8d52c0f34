import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDemoHistory } from "../src/demo-history.ts";
import { runDemoRequests } from "../src/demo-requests.ts";
import { freePortBase } from "../src/ports.ts";
import { runCtl } from "../src/run-ctl.ts";
import { readEnvFile } from "../src/settings.ts";
import { type Stack, startStack } from "../src/stack.ts";

let directory: string;
let stack: Stack;
let clientId: string;
let campaignId: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "platform-history-"));
  stack = await startStack({ directory, portBase: await freePortBase(), env: { SHED_DELAY_MS: "10000" } });
  await runCtl(directory, ["demo", "seed"]);
  const demo = readEnvFile(join(directory, "demo.env"));
  clientId = demo.PROJECT_CLIENT_ID ?? "";
  campaignId = demo.CAMPAIGN_ID ?? "";
  const sinkUrl = stack.settings.SINK_URL ?? "";
  await runDemoRequests({ demo, ctl: (args) => runCtl(directory, args), sinkUrl, show: () => {} });
});
afterAll(async () => {
  await stack?.stop();
  await rm(directory, { recursive: true, force: true });
});

const make = (laterMs = 0) => {
  const { mongodbUri, databaseOf } = stack;
  return makeDemoHistory({ mongodbUri, databaseOf, clientId, campaignId, now: new Date(Date.now() + laterMs) });
};

const items = async (...args: string[]): Promise<Record<string, unknown>[]> => {
  const printed = (await runCtl(directory, args)) as { items: Record<string, unknown>[] } | Record<string, unknown>[];
  return Array.isArray(printed) ? printed : printed.items;
};

test("gives the demo project a month of deliveries, endpoints, migrations, runs, impressions and usage, once", async () => {
  expect(await make()).toBeGreaterThan(5_000);
  expect(await make()).toBe(0);
  expect(await make(60 * 86_400_000)).toBe(0);

  const inThePast = ["--client", clientId, "--until", "20d", "--limit", "200"];
  expect(await items("deliveries", "list", ...inThePast, "--status", "sent")).toHaveLength(200);
  expect(await items("deliveries", "list", ...inThePast, "--status", "failed")).not.toHaveLength(0);
  const endpoints = await items("endpoints", "list", "--client", clientId, "--limit", "200");
  expect(new Set(endpoints.map(({ status }) => status))).toEqual(new Set(["verified", "revoked"]));
  const migrations = await items("migrations", "list", "--client", clientId, "--limit", "200");
  expect(migrations.filter(({ status }) => status === "completed").length).toBeGreaterThan(50);
  expect(await items("schedules", "failed", "--client", clientId, "--since", "28d")).not.toHaveLength(0);
  expect(await items("campaigns", "report", "--campaign", campaignId, "--by", "day")).toHaveLength(30);
  expect((await items("campaigns", "refusals", "--campaign", campaignId)).length).toBeGreaterThan(60);
  const usage = await items("usage", "--client", clientId, "--kind", "requests", "--since", "29d", "--by", "day");
  expect(usage.length).toBeGreaterThanOrEqual(29);
});

test("gives the console a history of verified and revoked endpoints, a consumer, and days of the status page", async () => {
  const client = await MongoClient.connect(stack.mongodbUri);
  const count = (service: string, collection: string, filter: object) =>
    client.db(stack.databaseOf(service)).collection(collection).countDocuments(filter);
  for (const kind of ["endpoints_verified", "endpoints_revoked"])
    expect(await count("notify", "usage_counts", { project_client_id: clientId, kind })).toBeGreaterThan(15);
  expect(await count("identity", "health_days", {})).toBeGreaterThanOrEqual(60);
  expect(await items("consumers", "list", "--client", clientId)).toHaveLength(1);
  await client.close();
});

test("completes the history of a start that was interrupted before the usage", async () => {
  const client = await MongoClient.connect(stack.mongodbUri);
  await client.db(stack.databaseOf("identity")).collection("usage_counts").deleteMany({ project_client_id: clientId });
  await client.close();
  expect(await make()).toBeGreaterThan(4_000);
  expect(await make()).toBe(0);
});
