import { randomBytes, randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OwnStack, post, startOwnStack } from "./own-stack.ts";

let server: TestRedis;
let redis: Redis;
let own: OwnStack;
beforeAll(async () => {
  server = await startTestRedis(["--maxmemory", "64mb", "--maxmemory-policy", "noeviction"]);
  redis = new Redis(server.url);
  own = await startOwnStack({ REDIS_URL: server.url });
});
afterAll(async () => {
  redis?.disconnect();
  await own?.close();
  await server?.close();
});

const event = (bytes: number) => ({
  type: "test.happened",
  schema_version: 1,
  data: { text: randomBytes(bytes / 2).toString("hex"), z: 1, a: [1, { "ä – 日本": null }] },
});

const newPublisher = async (): Promise<string> => {
  const client = await own.newClient();
  for (const resource of ["api_traffic", "events"])
    await own.ctl(["quotas", "set", "--client", client.id, "--resource", resource, "--limit", "1000000"]);
  return client.credential;
};

const memory = async (): Promise<{ used: number; max: number }> => {
  const info = await redis.info("memory");
  const figure = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1]);
  return { used: figure("used_memory"), max: figure("maxmemory") };
};

describe("a Redis of 64 MiB that evicts nothing", () => {
  test("serves another client while one publishes events of 60 KB into a Redis of 64 MiB", async () => {
    const [loud, quiet] = [await newPublisher(), await newPublisher()];
    const statuses: (number | undefined)[] = [];
    let published = 0;
    const publish = async (): Promise<void> => {
      while (published < 1_200) {
        published += 1;
        const outcome = await post(own.gateways[0], "/domain-events", loud, randomUUID(), event(60_000));
        expect(outcome?.status).toBe(200);
      }
    };
    const publishing = Promise.all(Array.from({ length: 8 }, publish));
    let isOver = false;
    const others = (async () => {
      while (!isOver)
        statuses.push((await post(own.gateways[1], "/domain-events", quiet, randomUUID(), event(100)))?.status);
    })();
    await publishing.finally(() => {
      isOver = true;
    });
    await others;
    expect(statuses.length).toBeGreaterThan(20);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { used, max } = await memory();
    expect(max).toBe(64 * 1024 ** 2);
    expect(used).toBeLessThan(max / 4);
  });

  test("replays a response of more than 4 KiB byte for byte", async () => {
    const credential = await newPublisher();
    const body = event(60_000);
    const key = randomUUID();
    const send = async (gateway: string) => {
      const response = await fetch(`${gateway}/api/v1/domain-events`, {
        method: "POST",
        headers: { authorization: `Bearer ${credential}`, "idempotency-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const isReplayed = response.headers.get("idempotency-replayed") === "true";
      return { status: response.status, isReplayed, text: await response.text() };
    };
    const first = await send(own.gateways[0]);
    expect([first.status, first.isReplayed]).toEqual([200, false]);
    for (const gateway of own.gateways) expect(await send(gateway)).toEqual({ ...first, isReplayed: true });
    const other = await post(own.gateways[0], "/domain-events", credential, key, event(60_000));
    expect([other?.status, other?.json.error.code]).toEqual([422, "idempotency_key_reused"]);
  });

  test("serves a client while an outsider sends more small noops than Redis has memory for (full Redis)", async () => {
    const credential = await newPublisher();
    const mebibyte = 1024 ** 2;
    const { used } = await memory();
    await redis.config("SET", "maxmemory", `${used + 8 * mebibyte}`);
    let sent = 0;
    const statuses = new Set<number>();
    const flood = async (): Promise<void> => {
      while (sent < 12_000) {
        sent += 1;
        const response = await fetch(`${own.gateways[0]}/api/v1/noop`, {
          method: "POST",
          headers: { "idempotency-key": randomUUID().padEnd(255, "x"), "content-type": "application/json" },
          body: JSON.stringify({ money: { currency: "JPY", minor: 1 } }),
        });
        await response.arrayBuffer();
        statuses.add(response.status);
      }
    };
    const published = new Set<number | undefined>();
    const publish = async (): Promise<void> => {
      do published.add((await post(own.gateways[1], "/domain-events", credential, randomUUID(), event(100)))?.status);
      while (sent < 12_000);
    };
    await Promise.all([publish(), ...Array.from({ length: 32 }, flood)]);
    await redis.config("SET", "maxmemory", "64mb");
    expect([...statuses].filter((status) => status !== 202 && status !== 503)).toEqual([]);
    expect(published).toEqual(new Set([200]));
  });

  test("returns 503 and reports itself degraded while Redis is full, and recovers when it has memory", async () => {
    const credential = await newPublisher();
    await redis.config("SET", "maxmemory", "1mb");
    const refused = await post(own.gateways[0], "/domain-events", credential, randomUUID(), event(100));
    expect([refused?.status, refused?.json.error.code]).toEqual([503, "dependency_unavailable"]);
    const health = await fetch(`${own.gateways[0]}/api/v1/health`).then((response) => response.json() as Promise<any>);
    expect(health.data.status).toBe("degraded");
    expect(health.data.components).toContainEqual({ name: "redis", status: "degraded" });
    const metrics = async (): Promise<string> =>
      fetch(`http://127.0.0.1:${own.stack.ports.gatewayInternal}/metrics`).then((response) => response.text());
    await eventually(async () => /platform_redis_memory_max_bytes\S* 1048576/.test(await metrics()));
    expect(await metrics()).toMatch(/platform_redis_memory_used_bytes\S* [1-9]/);
    await redis.config("SET", "maxmemory", "64mb");
    const passed = await post(own.gateways[0], "/domain-events", credential, randomUUID(), event(100));
    expect(passed?.status).toBe(200);
  });
});
