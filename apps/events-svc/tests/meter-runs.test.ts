import { newId } from "@platform/kit/process/secrets";
import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClientLimits } from "../src/worker/runs/client-limits.ts";
import { createRunMeter, type Metered, meteredResource } from "../src/worker/runs/meter-runs.ts";

let server: TestRedis;
let redis: Redis;
let quota: ReturnType<typeof createQuota>;

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

const limitedTo = (limit: number) => async (): Promise<ClientLimits> => ({
  isDisabled: false,
  scheduledInvocations: limit,
});
const meterMany = (meter: (clientId: string) => Promise<Metered>, clientId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => meter(clientId)));
const countOf = (metered: readonly Metered[], is: Metered["is"]) => metered.filter((one) => one.is === is).length;

test("meters concurrent runs exactly to the limit", async () => {
  const clientId = newId();
  const meter = createRunMeter(quota, limitedTo(130));
  const first = await meterMany(meter, clientId, 100);
  const second = await meterMany(meter, clientId, 100);
  expect([countOf(first, "spent"), countOf(second, "spent"), countOf(second, "exceeded")]).toEqual([100, 30, 70]);
  expect(await quota.used(clientId, meteredResource)).toBe(130);
});

test("never spends more units than are left under concurrent meters", async () => {
  const clientId = newId();
  const meters = Array.from({ length: 10 }, () => createRunMeter(quota, limitedTo(77)));
  const metered = await Promise.all(meters.map((meter) => meterMany(meter, clientId, 20)));
  expect(countOf(metered.flat(), "spent")).toBe(77);
  expect(await quota.used(clientId, meteredResource)).toBe(77);
});

test("meters the concurrent runs of a client with one command", async () => {
  const meter = createRunMeter(quota, limitedTo(1_000));
  await meterMany(meter, newId(), 1);
  await redis.config("RESETSTAT");
  await meterMany(meter, newId(), 200);
  expect(await redis.info("commandstats")).toMatch(/cmdstat_evalsha:calls=1,/);
});

test("spends a returned unit again, and tells refused runs when the window ends", async () => {
  const clientId = newId();
  const meter = createRunMeter(quota, limitedTo(2));
  const [spent] = await meterMany(meter, clientId, 2);
  if (spent?.is !== "spent") throw new Error("not spent");
  const [refused] = await meterMany(meter, clientId, 1);
  const secondsLeft = (spent.windowEndsAtMs - Date.now()) / 1_000;
  expect(refused).toEqual({ is: "exceeded", retryAfterSeconds: expect.any(Number) });
  if (refused?.is === "exceeded") expect(Math.abs(refused.retryAfterSeconds - secondsLeft)).toBeLessThan(60);
  await quota.release(clientId, meteredResource, 1, spent.windowEndsAtMs);
  expect(await meterMany(meter, clientId, 2)).toEqual([
    { is: "spent", windowEndsAtMs: spent.windowEndsAtMs },
    { is: "exceeded", retryAfterSeconds: expect.any(Number) },
  ]);
});

test("spends nothing and keeps the counter when the limit is below the used units", async () => {
  const clientId = newId();
  await meterMany(createRunMeter(quota, limitedTo(50)), clientId, 40);
  const metered = await meterMany(createRunMeter(quota, limitedTo(10)), clientId, 5);
  expect(countOf(metered, "exceeded")).toBe(5);
  expect(await quota.used(clientId, meteredResource)).toBe(40);
});

test("does not delay other clients when one client is disabled or has no known limit", async () => {
  const [silent, disabled, unknown, good] = [newId(), newId(), newId(), newId()];
  const meter = createRunMeter(quota, async (clientId) => {
    if (clientId === silent) return new Promise(() => {});
    if (clientId === unknown) throw new Error("identity-svc is away");
    return { isDisabled: clientId === disabled, scheduledInvocations: 5 };
  });
  void meter(silent);
  const [ofDisabled, ofUnknown, ofGood] = await Promise.allSettled([meter(disabled), meter(unknown), meter(good)]);
  expect(ofDisabled).toMatchObject({ value: { is: "client_disabled" } });
  expect(ofUnknown).toMatchObject({ reason: { message: "identity-svc is away" } });
  expect(ofGood).toMatchObject({ value: { is: "spent" } });
});

test("spends at most the remaining units of a window", async () => {
  await expect(quota.spendUpTo(newId(), "storage_bytes", 1, 10)).rejects.toThrow("gauge");
});
