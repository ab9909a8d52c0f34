import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { redisSettings } from "@platform/kit/process/env";
import { connectRedis, type RedisConnection } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedisCluster, type TestRedisCluster } from "@platform/test-kit/redis-cluster";
import { Cluster } from "ioredis";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { doneRecord, idempotencyRecordKey } from "../src/redis/idempotency-record.ts";
import { createMetering, type MeteringRequest, newClaimId } from "../src/redis/metering.ts";
import { redisMemory } from "../src/redis/redis-memory.ts";

let cluster: TestRedisCluster;
const connections: RedisConnection[] = [];
const connect = async (): Promise<RedisConnection> => {
  const redis = connectRedis(redisSettings({ REDIS_URL: cluster.urls.split(",") }), () => {});
  connections.push(redis);
  await eventually(() => redis.status === "ready");
  return redis;
};
beforeAll(async () => {
  cluster = await startTestRedisCluster();
});
afterAll(async () => {
  for (const redis of connections) redis.disconnect();
  await cluster?.close();
});

const fingerprint = "a".repeat(64);
const request = (clientId: string, key: string, limit: number): MeteringRequest => {
  const counter = quotaKey(clientId, "events");
  return {
    traffic: { key: quotaKey(clientId, "api_traffic"), limit: 1_000_000 },
    idempotency: {
      key: idempotencyRecordKey(clientId, "events.publishDomainEvent", key),
      fingerprint,
      claimId: newClaimId(),
      leaseMs: 30_000,
    },
    spend: { key: counter, claimsKey: counter, window: 86_400_000, amount: 1, limit, keepMs: 86_400_000 },
  };
};

test("admits each client to its limit and replays its outcomes, whichever node has the client's slot", async () => {
  const redis = await connect();
  const [metering, quota] = [createMetering(redis), createQuota(redis)];
  for (const clientId of Array.from({ length: 12 }, () => randomUUID())) {
    const requests = Array.from({ length: 8 }, (_, n) => request(clientId, `${n}`, 5));
    const answers = await Promise.all(requests.map((one) => metering.meter(one)));
    const passed = requests.filter((_, n) => answers[n]?.outcome.kind === "admitted");
    const refused = answers.filter(({ outcome }) => outcome.kind === "resource_exceeded");
    expect([passed.length, refused.length]).toEqual([5, 3]);
    const record = { text: doneRecord(fingerprint, 200, "{}"), ms: 60_000 };
    const [first] = passed;
    if (first?.idempotency == null) throw new Error("nothing was admitted");
    await metering.settle(first, { outcome: "keep", record });
    const repeat = { ...first, idempotency: { ...first.idempotency, claimId: newClaimId() } };
    const { outcome } = await metering.meter(repeat);
    expect(outcome).toEqual({ kind: "key_known", leaseLeftMs: 0, record: record.text });
    expect(await quota.used(clientId, "events")).toBe(5);
    expect(await quota.restoreGauge(clientId, "storage_bytes", async () => 7)).toBe(true);
    expect(await quota.releaseOnce(clientId, "storage_bytes", 3, "compensation")).toBe(true);
    expect(await quota.used(clientId, "storage_bytes")).toBe(4);
  }
});

/**
 * Returns the ids of clients whose requests arrive in one tick. There are enough clients that each primary has several
 * of their slots.
 */
const manyClients = () => Array.from({ length: 24 }, () => randomUUID());
/**
 * Admits a request of each client in the same tick, and settles all of them in a later one. @returns the kinds of the
 * outcomes
 */
async function meterAndSettle(redis: RedisConnection, clientIds: readonly string[], key: string): Promise<string[]> {
  const metering = createMetering(redis);
  const requests = clientIds.map((clientId) => request(clientId, key, 5));
  const results = await Promise.all(requests.map((one) => metering.meter(one)));
  const record = { text: doneRecord(fingerprint, 200, "{}"), ms: 60_000 };
  await Promise.all(requests.map((one) => metering.settle(one, { outcome: "keep", record })));
  return results.map(({ outcome }) => outcome.kind);
}
const allUsed = async (redis: RedisConnection, clientIds: readonly string[]): Promise<number[]> => {
  const quota = createQuota(redis);
  return Promise.all(clientIds.map((clientId) => quota.used(clientId, "events")));
};

/** Returns how many script commands each primary has executed. */
async function scriptCommands(redis: RedisConnection): Promise<number[]> {
  if (!(redis instanceof Cluster)) throw new Error("not connected to a Cluster");
  const texts = await Promise.all(redis.nodes("master").map((node) => node.info("commandstats")));
  return texts.map((text) => Number(/^cmdstat_evalsha:calls=(\d+)/m.exec(text)?.[1] ?? 0));
}

test("sends each node one command for all requests of one tick, regardless of the number of clients", async () => {
  const redis = await connect();
  const clientIds = manyClients();
  // The first round opens the connections and loads the scripts.
  await meterAndSettle(redis, clientIds, "first");
  const before = await scriptCommands(redis);
  const writes = vi.spyOn(Socket.prototype, "write");
  try {
    await meterAndSettle(redis, clientIds, "second");
    const ofScripts = writes.mock.calls.filter(([data]) => `${data}`.includes("evalsha"));
    // Each of three primaries receives one command for the admissions and one for the settlements.
    expect(ofScripts.length).toBeLessThanOrEqual(6);
  } finally {
    writes.mockRestore();
  }
  const after = await scriptCommands(redis);
  expect(after.map((count, node) => count - (before[node] ?? 0))).toEqual([2, 2, 2]);
});

test("admits the other clients of a tick while the slot of one client moves, and counts that client's request once", async () => {
  const redis = await connect();
  const [metering, clientIds] = [createMetering(redis), manyClients()];
  const mover = clientIds[7] ?? "";
  const others = clientIds.filter((id) => id !== mover);
  await meterAndSettle(redis, others, "first");
  const move = await cluster.beginMove(quotaKey(mover, "events"));
  const asked = clientIds.map((id) => metering.meter(request(id, "while it moves", 5)).catch(() => null));
  const outcomes = others.map((id) => asked[clientIds.indexOf(id)]);
  for (const outcome of await Promise.all(outcomes)) expect(outcome?.outcome.kind).toBe("admitted");
  await move.end();
  // While a slot moves, Redis rejects commands with several keys (TRYAGAIN), and a caller then repeats its request.
  const ofMover =
    (await asked[7]) ?? (await eventually(() => metering.meter(request(mover, "while it moves", 5)).catch(() => null)));
  expect(ofMover.outcome.kind).toBe("admitted");
  expect(await allUsed(redis, [mover, ...others])).toEqual([1, ...others.map(() => 2)]);
});

test("changes nothing of a client whose keys are on two nodes while its slot moves, and admits the others", async () => {
  const redis = await connect();
  const [metering, quota, clientIds] = [createMetering(redis), createQuota(redis), manyClients()];
  const mover = clientIds[7] ?? "";
  await meterAndSettle(redis, clientIds, "first");
  const move = await cluster.beginMove(quotaKey(mover, "events"));
  // The mover's counters are on the old node. The record of its new key is on neither.
  const asked = clientIds.map((id) => metering.meter(request(id, "second", 5)).catch(() => null));
  for (const [index, id] of clientIds.entries()) {
    if (id !== mover) expect((await asked[index])?.outcome.kind).toBe("admitted");
  }
  expect([await quota.used(mover, "api_traffic"), await quota.used(mover, "events")]).toEqual([1, 1]);
  await move.end();
  await asked[7];
  await eventually(() => metering.meter(request(mover, "third", 5)).catch(() => null));
  const used = await quota.used(mover, "events");
  expect(await quota.used(mover, "api_traffic")).toBe(used);
});

test("rejects the requests of a full node, and admits those of the other nodes", async () => {
  const redis = await connect();
  if (!(redis instanceof Cluster)) throw new Error("not connected to a Cluster");
  const clientIds = manyClients();
  await meterAndSettle(redis, clientIds, "first");
  const [full] = redis.nodes("master");
  await full?.config("SET", "maxmemory", "1");
  const metering = createMetering(redis);
  const results = clientIds.map((id) => metering.meter(request(id, "second", 5)).catch((error: Error) => error));
  const kinds = (await Promise.all(results)).map((result) =>
    result instanceof Error ? result.message.slice(0, 11) : result.outcome.kind,
  );
  await full?.config("SET", "maxmemory", "0");
  expect(new Set(kinds)).toEqual(new Set(["admitted", "Redis: OOM "]));
  expect(await meterAndSettle(redis, clientIds, "third")).toEqual(clientIds.map(() => "admitted"));
});

test("follows a slot that has moved since the connection read the slot table", async () => {
  const redis = await connect();
  const clientIds = manyClients();
  await meterAndSettle(redis, clientIds, "first");
  const move = await cluster.beginMove(quotaKey(clientIds[7] ?? "", "events"));
  await move.end();
  expect(await meterAndSettle(redis, clientIds, "second")).toEqual(clientIds.map(() => "admitted"));
  expect(await meterAndSettle(redis, clientIds, "second")).toEqual(clientIds.map(() => "key_known"));
  expect(await allUsed(redis, clientIds)).toEqual(clientIds.map(() => 2));
});

test("loads the scripts again after a node has lost them, and counts each request once", async () => {
  const redis = await connect();
  if (!(redis instanceof Cluster)) throw new Error("not connected to a Cluster");
  const clientIds = manyClients();
  await meterAndSettle(redis, clientIds, "first");
  await Promise.all(redis.nodes("master").map((node) => node.script("FLUSH")));
  expect(await meterAndSettle(redis, clientIds, "second")).toEqual(clientIds.map(() => "admitted"));
  expect(await allUsed(redis, clientIds)).toEqual(clientIds.map(() => 2));
});

test("counts each request once if a connection ends while its calls are in progress", async () => {
  const redis = await connect();
  if (!(redis instanceof Cluster)) throw new Error("not connected to a Cluster");
  const clientIds = manyClients();
  await meterAndSettle(redis, clientIds, "first");
  const asked = meterAndSettle(redis, clientIds, "second");
  // The calls are written at the end of this tick. Because the connection ends after that, their replies are lost.
  await new Promise((resolve) => setImmediate(resolve));
  redis.nodes("master")[0]?.disconnect();
  expect(await asked).toEqual(clientIds.map(() => "admitted"));
  expect(await allUsed(redis, clientIds)).toEqual(clientIds.map(() => 2));
});

test("delivers a message from any connection to every subscriber", async () => {
  const [publisher, ...subscribers] = await Promise.all([connect(), connect(), connect()]);
  const heard: string[][] = subscribers.map(() => []);
  for (const [index, subscriber] of subscribers.entries()) {
    subscriber.on("message", (_channel, message) => heard[index]?.push(message));
    await subscriber.subscribe("identity:changes");
  }
  await publisher.publish("identity:changes", "changed");
  await eventually(() => heard.every((messages) => messages.length === 1 && messages[0] === "changed"));
});

test("reports the memory of the fullest primary", async () => {
  const memory = await redisMemory(await connect());
  expect(memory.usedBytes).toBeGreaterThan(0);
  expect(memory.maxBytes).toBe(0);
});

test("spends no unit twice and loses none during a failover under load", async () => {
  const connected = await Promise.all([connect(), connect()]);
  const meterings = connected.map((redis) => createMetering(redis));
  const clientId = randomUUID();
  const limit = 500;
  const work = { isOver: false };
  const admitted = new Set<string>();
  let doubles = 0;
  let attempts = 0;
  /** Requests one key through either gateway until Redis responds, as a caller would. */
  const meter = async (key: string): Promise<void> => {
    for (;;) {
      attempts += 1;
      const metering = meterings[attempts % meterings.length];
      const asked = request(clientId, key, limit);
      const result = await metering?.meter(asked).catch(() => null);
      if (result == null) {
        await metering?.settle(asked, { outcome: "release", record: null }).catch(() => {});
        continue;
      }
      const { kind } = result.outcome;
      // A claim whose response was lost is released or expires. No other request must get the key in the meantime.
      if (kind === "key_known") {
        if (!admitted.has(key)) await new Promise((resolve) => setTimeout(resolve, 50));
        else return;
      } else if (kind === "resource_exceeded") {
        work.isOver = true;
        return;
      } else if (kind === "admitted") {
        if (admitted.has(key)) doubles += 1;
        admitted.add(key);
        const record = { text: doneRecord(fingerprint, 200, key), ms: 60_000 };
        await eventually(() => metering?.settle(asked, { outcome: "keep", record }).then(() => true));
        return;
      }
    }
  };
  let keys = 0;
  const callers = Array.from({ length: 8 }, async () => {
    while (!work.isOver) {
      keys += 1;
      // Each key is requested twice concurrently.
      await Promise.all([meter(`${keys}`), meter(`${keys}`)]);
    }
  });
  await eventually(() => admitted.size > 50);
  await cluster.failOver(quotaKey(clientId, "events"));
  const sizeThen = admitted.size;
  await Promise.all(callers);
  expect(sizeThen).toBeLessThan(limit);
  expect([admitted.size, doubles]).toEqual([limit, 0]);
  expect(await createQuota(connected[0] as RedisConnection).used(clientId, "events")).toBe(limit);
});
