import { randomUUID } from "node:crypto";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { startLoneGateway } from "./lone-gateway.ts";

const maxBytes = 32 * 1024 ** 2;
const flood = 6_000;
const connections = 64;

let server: TestRedis;
let redis: Redis;
let gateway: Gateway;
beforeAll(async () => {
  server = await startTestRedis(["--maxmemory", `${maxBytes}`, "--maxmemory-policy", "noeviction"]);
  redis = new Redis(server.url);
  gateway = await startLoneGateway(server.url, {});
});
afterAll(async () => {
  redis?.disconnect();
  await gateway?.close();
  await server?.close();
});

const usedBytes = async (): Promise<number> =>
  Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1] ?? Number.NaN);

/** The value that the gateway read last. */
async function readingOfGateway(): Promise<number> {
  const metrics = await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`);
  return Number(/^platform_redis_memory_used_bytes\S* (\S+)/m.exec(await metrics.text())?.[1] ?? Number.NaN);
}

const claim = (key: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${gateway.port}/api/v1/noop`, {
    method: "POST",
    headers: { "idempotency-key": key, "content-type": "application/json" },
    body: JSON.stringify({ money: { currency: "JPY", minor: 1 } }),
  });

test("forgets an outsider's outcomes after a second while Redis is half full (a flood of small noops)", async () => {
  for (let client = 0; (await usedBytes()) < 0.55 * maxBytes; client += 1)
    await redis.set(`records of client ${client}`, "x".repeat(100_000));
  await eventually(async () => (await readingOfGateway()) >= maxBytes / 2);
  const before = await redis.dbsize();
  let sent = 0;
  const statuses = new Set<number>();
  const caller = async (): Promise<void> => {
    while (sent < flood) {
      sent += 1;
      const response = await claim(randomUUID().padEnd(255, "x"));
      await response.arrayBuffer();
      statuses.add(response.status);
    }
  };
  await Promise.all(Array.from({ length: connections }, caller));
  expect([...statuses]).toEqual([202]);
  // They would otherwise stay for a minute.
  await eventually(async () => (await redis.dbsize()) <= before, { timeoutMs: 20_000, what: "the records are gone" });
});
