import { once } from "node:events";
import { sweepFactory } from "@platform/kit/jobs/work";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { StoredDocument } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo, createPutOffStore } from "@platform/kit/store/schema";
import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota, type Quota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { Registry } from "@prometheus-io/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { overlayQuotaDefaults } from "../src/domain/quota-defaults.ts";
import { createStores } from "../src/store/create-stores.ts";
import { createQuotaWatch, watchQuotasOfToldClients } from "../src/worker/watch-quotas.ts";

let mongo: TestMongo;
let redis: Awaited<ReturnType<typeof startTestRedis>>;
let redisConnection: ReturnType<typeof connectRedis>;
let quota: Quota;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let stores: ReturnType<typeof createStores>;
let now: Date;
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  redis = await startTestRedis();
  redisConnection = connectRedis(redis.url, () => {});
  await once(redisConnection, "ready");
  quota = createQuota(redisConnection);
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  stores = createStores(connection);
  await buildIndexes(connection);
});
beforeEach(async () => {
  // The test uses times close to the real time, because an index removes the notices of windows that ended long ago.
  now = at(0);
  await connection.collection("project_clients").deleteMany({});
  clientId = await makeClient(true);
});
afterAll(async () => {
  redisConnection.disconnect();
  await connection.close();
  await redis.close();
  await mongo.close();
});

/** Ten o'clock UTC, the given number of days after today. */
const at = (days: number): Date => new Date((Math.floor(Date.now() / 86_400_000) + days) * 86_400_000 + 36_000_000);
const quotaDefaults = overlayQuotaDefaults({ storage_bytes: 1_000, deliveries: 10 });
async function makeClient(isTold: boolean): Promise<string> {
  const id = newId();
  await connection.collection<StoredDocument>("project_clients").insertOne({
    _id: id,
    name: "n",
    environment: "development",
    return_uris: [],
    quota_limits: {},
    platform_events: isTold,
    disabled_at: null,
    created_at: now,
  });
  return id;
}
const options = () => ({
  stores,
  quota,
  quotaDefaults,
  clock: () => now,
  logger: silentLogger(),
});
/** Two replicas of the worker poll concurrently. */
const watch = () => Promise.all([watchOnce(), watchOnce()]);
const watchOnce = () => watchQuotasOfToldClients(options(), sweep("tell-of-quotas"), new AbortController().signal);
const sweep = (name: string) =>
  sweepFactory({
    store: createPutOffStore(connection),
    clock: () => now,
    logger: silentLogger(),
    registry: new Registry(),
  })(name);
const use = (resource: string, used: number, id = clientId) => redisConnection.set(quotaKey(id, resource), used);
/** Thresholds of a resource, in percent, of which the client was notified, in order. */
async function told(resource: string): Promise<number[]> {
  const notices = await connection.collection("quota_notices").find({ project_client_id: clientId }).toArray();
  const facts = notices.flatMap(
    ({ platform_events = [] }) => platform_events as { data_json: string; occurred_at: Date }[],
  );
  facts.sort((one, two) => one.occurred_at.getTime() - two.occurred_at.getTime());
  const data = facts.map(({ data_json }) => JSON.parse(data_json) as { resource: string; percent: number });
  return data.filter((each) => each.resource === resource).map(({ percent }) => percent);
}

describe("the list of exhausted quotas", () => {
  const watchAll = () =>
    createQuotaWatch(options(), sweep("watch-quotas"), new Registry())(new AbortController().signal);
  const reached = () => stores.reachedQuotas.list(["deliveries", "events"]);

  it("lists the exhausted quotas of all clients until units are available again", async () => {
    const second = await makeClient(false);
    await use("deliveries", 9);
    await watchAll();
    expect(await reached()).toEqual([]);
    await use("deliveries", 10);
    await watchAll();
    const since = now;
    now = new Date(now.getTime() + 60_000);
    await use("deliveries", 11, second);
    await watchAll();
    expect(await reached()).toEqual([
      { resource: "deliveries", clients: 2, projectClientIds: [clientId, second], since },
    ]);
    await use("deliveries", 0);
    await watchAll();
    expect(await reached()).toMatchObject([{ clients: 1, projectClientIds: [second] }]);
    await use("deliveries", 0, second);
    await watchAll();
    expect(await reached()).toEqual([]);
  });
});

describe("the thresholds of a quota", () => {
  it("reports a threshold once in a window despite two replicas, and again in the next window", async () => {
    await use("deliveries", 7);
    await watch();
    expect(await told("deliveries")).toEqual([]);
    await use("deliveries", 8);
    await watch();
    await watch();
    expect(await told("deliveries")).toEqual([80]);
    await use("deliveries", 10);
    await watch();
    expect((await told("deliveries")).sort()).toEqual([100, 80]);
    now = at(1);
    await use("deliveries", 8);
    await watch();
    expect(await told("deliveries")).toHaveLength(3);
  });

  it("reports a gauge's threshold once each time the gauge crosses it", async () => {
    await use("storage_bytes", 850);
    await watch();
    now = at(3);
    await use("storage_bytes", 780);
    await watch();
    await use("storage_bytes", 820);
    await watch();
    expect(await told("storage_bytes")).toEqual([80]);
    await use("storage_bytes", 100);
    await watch();
    now = at(4);
    await use("storage_bytes", 1_000);
    await watch();
    expect((await told("storage_bytes")).sort()).toEqual([100, 80, 80]);
  });

  it("does not report a threshold again when Redis has lost its counters", async () => {
    await use("storage_bytes", 900);
    await use("deliveries", 9);
    await watch();
    await redisConnection.flushall();
    await watch();
    await use("storage_bytes", 900);
    await use("deliveries", 9);
    await watch();
    expect([await told("storage_bytes"), await told("deliveries")]).toEqual([[80], [80]]);
  });

  it("counts reached thresholds in metrics for all clients, without naming them", async () => {
    const untold = await makeClient(false);
    await use("deliveries", 10, untold);
    await use("deliveries", 8);
    const registry = new Registry();
    await createQuotaWatch(options(), sweep("watch-quotas"), registry)(new AbortController().signal);
    const text = await registry.metrics();
    expect(text).toContain('platform_quotas_over_threshold{resource="deliveries",percent="80"} 2');
    expect(text).toContain('platform_quotas_over_threshold{resource="deliveries",percent="100"} 1');
    expect(text).not.toContain(untold);
    const notices = await connection.collection("quota_notices").find({ project_client_id: untold }).toArray();
    // Only the contacts are notified; nothing is written to the event log.
    const audiences = notices.flatMap(({ platform_events = [] }) => platform_events.map((fact: any) => fact.audience));
    expect(audiences).toEqual(["contacts", "contacts"]);
  });
});
