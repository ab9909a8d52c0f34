import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota, type Quota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

let server: TestRedis;
let redis: Redis;
let quota: Quota;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, () => {});
  await new Promise((resolve) => redis.once("ready", resolve));
  quota = createQuota(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(async () => {
  await redis.flushall();
});

test("of many spends at once exactly as many units are taken as fit", async () => {
  const spends = await Promise.all(Array.from({ length: 40 }, () => quota.spend("a", "events", 3, 50)));
  expect(spends.filter(({ isSpent }) => isSpent)).toHaveLength(16);
  expect(await quota.used("a", "events")).toBe(48);
  expect(spends.find(({ isSpent }) => !isSpent)).toMatchObject({ reason: "exceeded", used: 48, limit: 50 });
});

test.each(["events", "payment_transactions"])("units of %s end with their window", async (resource) => {
  const spend = await quota.spend("a", resource, 1, 10);
  expect(spend).toMatchObject({ isSpent: true, used: 1 });
  expect(await redis.pexpiretime(quotaKey("a", resource))).toBe(spend.isSpent && spend.windowEndsAtMs);
});

test("a level Redis does not know is not taken for zero; a known one is spent to its limit and never expires", async () => {
  expect(await quota.spend("a", "storage_bytes", 1, 10)).toEqual({ isSpent: false, reason: "level_unknown" });
  await quota.restoreLevel("a", "storage_bytes", 8);
  expect(await quota.spend("a", "storage_bytes", 2, 10)).toEqual({ isSpent: true, used: 10, windowEndsAtMs: 0 });
  expect(await quota.spend("a", "storage_bytes", 1, 10)).toMatchObject({ reason: "exceeded", used: 10, limit: 10 });
  expect(await redis.pexpiretime(quotaKey("a", "storage_bytes"))).toBe(-1);
});
