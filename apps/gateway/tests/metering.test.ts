import { createQuota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Metering, type MeteringRequest, newClaimId } from "../src/redis/metering.ts";
import {
  client,
  dayMs,
  done,
  type RequestChanges,
  recordKey,
  request,
  startMetering,
  unclear,
} from "./metering-fixture.ts";

let fixture: Awaited<ReturnType<typeof startMetering>>;
let redis: Redis;
let metering: Metering;
beforeAll(async () => {
  fixture = await startMetering();
  ({ redis, metering } = fixture);
});
afterAll(async () => {
  await fixture.close();
});
beforeEach(async () => {
  await redis.flushall();
});
const meter = (asked: MeteringRequest) => fixture.meter(asked);
const used = (resource: string) => fixture.used(resource);
const trafficOnly = (limit: number): MeteringRequest => ({
  traffic: { key: quotaKey(client, "api_traffic"), limit },
  idempotency: null,
  spend: null,
});

/** Returns the commands that clients have sent, without those that scripts have executed. */
async function commandsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await redis.config("RESETSTAT");
  await work();
  const stats = await redis.info("commandstats");
  const counts = [...stats.matchAll(/cmdstat_(eval|evalsha|multi|exec|get|set):calls=(\d+)/g)];
  return Object.fromEntries(counts.map(([, name, count]) => [name, Number(count)]));
}

describe("the metering of a request", () => {
  test("sends one command to meter a request and one to settle it", async () => {
    const first = request({ key: "first" });
    await metering.meter(first);
    await metering.settle(first, { outcome: "keep", record: done });
    const asked = request();
    expect((await commandsOf(() => metering.meter(asked))).evalsha).toBe(1);
    expect((await commandsOf(() => metering.settle(asked, { outcome: "keep", record: done }))).evalsha).toBe(1);
  });

  test("sends one command for all requests of one tick, of any clients", async () => {
    await metering.meter(request({ key: "first" }));
    const asked = Array.from({ length: 20 }, (_, n) => request({ client: `client-${n}` }));
    const counts = await commandsOf(() => Promise.all(asked.map((one) => metering.meter(one))));
    expect(counts.evalsha).toBe(1);
  });

  test("fails only the request whose commands Redis rejects within a shared command", async () => {
    await redis.lpush(quotaKey("client-broken", "api_traffic"), "not a counter");
    const asked = ["client-1", "client-broken", "client-2"].map((one) => request({ client: one }));
    const results = await Promise.allSettled(asked.map(meter));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    const settled = asked.map((one) => metering.settle(one, { outcome: "keep", record: done }));
    expect((await Promise.allSettled(settled)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
  });

  test("loads the scripts again after Redis has lost them", async () => {
    await metering.meter(request());
    await redis.script("FLUSH");
    expect(await meter(request())).toBe("key_known");
    expect(await used("events")).toBe(1);
  });

  test("counts traffic up to the limit, then rejects with used = limit and spends nothing", async () => {
    for (let n = 0; n < 3; n += 1) expect(await meter(trafficOnly(3))).toBe("admitted");
    const { outcome } = await metering.meter(request({ trafficLimit: 3 }));
    expect(outcome).toMatchObject({ kind: "traffic_exceeded", refusal: { used: 3, limit: 3 } });
    expect([await used("events"), await used("api_traffic")]).toEqual([0, 3]);
    expect(await redis.exists(recordKey("key"))).toBe(0);
  });

  test("reports remaining traffic and the end of the minute by Redis's clock", async () => {
    const nowMs = async (): Promise<number> => Number((await redis.time())[0]) * 1_000;
    const beforeMs = await nowMs();
    const { traffic } = await metering.meter(trafficOnly(10));
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "api_traffic"));
    expect(traffic?.remaining).toBe(9);
    expect(endsAtMs % 60_000).toBe(0);
    expect(traffic?.resetSeconds).toBeLessThanOrEqual((endsAtMs - beforeMs) / 1_000);
    expect(traffic?.resetSeconds).toBeGreaterThanOrEqual((endsAtMs - (await nowMs())) / 1_000 - 1);
  });

  test("spends nothing if the key is known or belongs to a different request", async () => {
    await metering.meter(request());
    expect(await meter(request())).toBe("key_known");
    expect(await meter(request({ fingerprint: "b".repeat(64) }))).toBe("key_known");
    expect(await used("events")).toBe(1);
  });

  test("spends the last unit, and refuses the next request without claiming its key", async () => {
    for (let n = 1; n < 10; n += 1) await metering.meter(request({ key: `${n}` }));
    expect(await meter(request({ key: "last" }))).toBe("admitted");
    const { outcome } = await metering.meter(request({ key: "past" }));
    expect(outcome).toMatchObject({ kind: "resource_exceeded", refusal: { used: 10, limit: 10 } });
    expect([await used("events"), await redis.exists(recordKey("past"))]).toEqual([10, 0]);
    expect(await meter(request({ key: "past", limit: 11 }))).toBe("admitted");
  });

  test("admits exactly as many concurrent requests as fit", async () => {
    const asked = Array.from({ length: 50 }, (_, n) => request({ key: `${n}`, amount: 3, limit: 61 }));
    const kinds = await Promise.all(asked.map(meter));
    expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(20);
    expect(kinds.filter((kind) => kind === "resource_exceeded")).toHaveLength(30);
    expect(await used("events")).toBe(60);
    expect(await redis.keys(`{${client}}:idempotency:*`)).toHaveLength(20);
  });

  test("starts a new window at the end that a rejection named", async () => {
    const window = 1_000;
    const within = async (key: string) => metering.meter(request({ key, window, limit: 1 }));
    // The test starts again if the window ends between its two requests.
    const refused = await eventually(async () => {
      await within(`first ${newClaimId()}`);
      const { outcome } = await within(`second ${newClaimId()}`);
      return outcome.kind === "resource_exceeded" && outcome;
    });
    expect(refused.refusal.retryAfterSeconds).toBe(1);
    expect((await redis.pexpiretime(quotaKey(client, "events"))) % window).toBe(0);
    await eventually(async () => (await redis.exists(quotaKey(client, "events"))) === 0);
    expect((await within("next")).outcome.kind).toBe("admitted");
    expect(await used("events")).toBe(1);
  });

  test.each([
    ["a day", dayMs],
    ["a month named by its end", -Date.UTC(2100, 1, 1)],
  ])("expires the units of %s with their window", async (_name, window) => {
    await metering.meter(request({ window }));
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "events"));
    expect(endsAtMs).toBe(window < 0 ? -window : (Math.floor(Date.now() / dayMs) + 1) * dayMs);
  });

  test("recognizes its own claim if the command is sent twice, and spends nothing again", async () => {
    const asked = request();
    expect([await meter(asked), await meter(asked)]).toEqual(["admitted", "admitted"]);
    expect(await used("events")).toBe(1);
    await metering.settle(asked, { outcome: "release", record: null });
    expect(await used("events")).toBe(0);
  });
});

describe("a gauge quota", () => {
  const gauge = (changes: RequestChanges = {}) =>
    request({ resource: "storage_bytes", window: 0, amount: 5, limit: 10, ...changes });
  const restore = (units: number) => createQuota(redis).restoreGauge(client, "storage_bytes", async () => units);

  test("does not treat an unknown gauge as zero, and spends a known one up to its limit, without expiry", async () => {
    expect(await meter(gauge())).toBe("gauge_unknown");
    expect(await redis.exists(recordKey("key"))).toBe(0);
    await restore(5);
    expect(await meter(gauge())).toBe("admitted");
    const { outcome } = await metering.meter(gauge({ key: "past", amount: 1 }));
    expect(outcome).toMatchObject({ refusal: { used: 10, limit: 10, retryAfterSeconds: 60 } });
    expect(await redis.pexpiretime(quotaKey(client, "storage_bytes"))).toBe(-1);
  });

  test("does not count a gauge at its owner while a claim on it is pending", async () => {
    await restore(0);
    const asked = gauge();
    await metering.meter(asked);
    await redis.del(quotaKey(client, "storage_bytes"));
    expect(await restore(0)).toBe(false);
    expect(await redis.exists(quotaKey(client, "storage_bytes"))).toBe(0);
    await metering.settle(asked, { outcome: "keep", record: done });
    expect(await restore(5)).toBe(true);
    expect(await used("storage_bytes")).toBe(5);
  });

  test("counts a gauge at its owner again once units of an unclear outcome have expired", async () => {
    await restore(0);
    const asked = gauge({ keepMs: 60_000 });
    await metering.meter(asked);
    await metering.settle(asked, unclear);
    const expiresAtMs = await redis.pexpiretime(recordKey("key"));
    expect(await redis.pexpiretime(quotaKey(client, "storage_bytes"))).toBe(expiresAtMs);
    expect(expiresAtMs - Date.now()).toBeGreaterThan(50_000);
    expect(await used("storage_bytes")).toBe(5);
  });

  test("counts a gauge at its owner again after a gateway has died with a claim on it", async () => {
    await restore(0);
    await metering.meter(gauge({ leaseMs: 1, keepMs: 60_000 }));
    await eventually(async () => {
      await metering.meter(gauge({ key: newClaimId(), amount: 0 }));
      return (await redis.pexpiretime(quotaKey(client, "storage_bytes"))) > 0;
    });
    expect(await used("storage_bytes")).toBe(5);
  });
});
