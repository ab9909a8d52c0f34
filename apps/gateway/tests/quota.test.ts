import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota, type Quota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { startSwitchedAddress } from "@platform/test-kit/switched-address";
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

test("spends exactly as many units as fit under concurrent requests", async () => {
  const spends = await Promise.all(Array.from({ length: 40 }, () => quota.spendUpTo("a", "events", 3, 50)));
  expect(spends.map(({ taken }) => taken)).toEqual([...Array(16).fill(3), 2, ...Array(23).fill(0)]);
  expect(await quota.used("a", "events")).toBe(50);
});

test.each(["events", "payment_transactions"])("expires units of %s with their window", async (resource) => {
  const { taken, windowEndsAtMs, retryAfterSeconds } = await quota.spendUpTo("a", resource, 1, 10);
  expect(taken).toBe(1);
  expect(await redis.pexpiretime(quotaKey("a", resource))).toBe(windowEndsAtMs);
  expect(Math.abs(retryAfterSeconds - (windowEndsAtMs - Date.now()) / 1_000)).toBeLessThan(60);
});

test("releases units only to the window in which they were spent, and never below zero", async () => {
  const { windowEndsAtMs } = await quota.spendUpTo("a", "events", 5, 10);
  await quota.release("a", "events", 2, windowEndsAtMs - 1);
  expect(await quota.used("a", "events")).toBe(5);
  await quota.release("a", "events", 2, windowEndsAtMs);
  expect(await quota.used("a", "events")).toBe(3);
  await quota.release("a", "events", 9, windowEndsAtMs);
  expect(await quota.used("a", "events")).toBe(0);
});

test("applies a compensation once even if it is sent several times, and never to an unknown gauge", async () => {
  expect(await quota.releaseOnce("a", "storage_bytes", 3, "compensation")).toBe(false);
  expect(await quota.restoreGauge("a", "storage_bytes", async () => 8)).toBe(true);
  for (let n = 0; n < 3; n += 1) expect(await quota.releaseOnce("a", "storage_bytes", 3, "compensation")).toBe(true);
  expect(await quota.used("a", "storage_bytes")).toBe(5);
});

test("does not change a known gauge if a count is restored", async () => {
  await quota.restoreGauge("a", "storage_bytes", async () => 8);
  await quota.restoreGauge("a", "storage_bytes", async () => 1);
  expect(await quota.used("a", "storage_bytes")).toBe(8);
});

test("spends once if a connection breaks between the execution in Redis and its response", async () => {
  const proxy = await startSwitchedAddress(Number(new URL(server.url).port));
  const cut = connectRedis(`redis://127.0.0.1:${proxy.port}`, () => {});
  await new Promise((resolve) => cut.once("ready", resolve));
  const quotaBehind = createQuota(cut);
  try {
    // The scripts are already loaded, so ioredis sends the same command again.
    expect((await quotaBehind.spendUpTo("a", "events", 1, 10)).taken).toBe(1);
    proxy.dropAnswers();
    const spending = quotaBehind.spendUpTo("a", "events", 8, 10);
    await eventually(async () => (await quota.used("a", "events")) === 9);
    proxy.cut();
    expect((await spending).taken).toBe(8);
    expect(await quota.used("a", "events")).toBe(9);
    expect((await quotaBehind.spendUpTo("a", "events", 8, 10)).taken).toBe(1);
  } finally {
    cut.disconnect();
    await proxy.close();
  }
});
