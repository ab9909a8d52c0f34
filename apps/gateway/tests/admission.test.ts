import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Admission, type AdmissionRequest, createAdmission } from "../src/redis/admission.ts";
import {
  doneRecord,
  idempotencyRecordKey,
  parseRecord,
  runningRecord,
  unclearRecord,
} from "../src/redis/idempotency-records.ts";

let server: TestRedis;
let redis: Redis;
let admission: Admission;
beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, () => {});
  await new Promise((resolve) => redis.once("ready", resolve));
  admission = createAdmission(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(async () => {
  await redis.flushall();
});

const client = "client-1";
const fingerprint = "a".repeat(64);
const key = idempotencyRecordKey(client, "events.publishDomainEvent", "key");
const request = (
  changes: { trafficLimit?: number; record?: string; limit?: number } = {},
): AdmissionRequest & { idempotency: { claimRecord: string } } => ({
  traffic: { key: quotaKey(client, "api_traffic"), limit: changes.trafficLimit ?? 10 },
  idempotency: { key, claimRecord: changes.record ?? runningRecord(fingerprint), claimMs: 30_000 },
  spend: { key: quotaKey(client, "events"), window: 86_400_000, amount: 1, limit: changes.limit ?? 10 },
});
/** An admission that has heard Redis's time when it is asked. */
const knowingTime = ({ admit }: Admission): Pick<Admission, "admit"> => ({
  admit: async (asked) => {
    await admit({ traffic: { key: "other", limit: 1_000 }, idempotency: null, spend: null });
    return admit(asked);
  },
});
const used = (resource: string): Promise<number> => createQuota(redis).used(client, resource);

describe("the admission of a request", () => {
  test.each([
    ["asked", null, 1],
    ["known", Date.UTC(2026, 0, 1), 0],
  ])("is exactly one command of Redis, its time being %s", async (_name, knownMs, asked) => {
    const { admit } = createAdmission(redis, { read: () => knownMs, hear: () => {} });
    await admit(request());
    await redis.config("RESETSTAT");
    await admit({
      ...request(),
      idempotency: { key: `${key}2`, claimRecord: runningRecord(fingerprint), claimMs: 30_000 },
    });
    const stats = await redis.info("commandstats");
    const calls = Object.fromEntries(
      [...stats.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, count]) => [name, Number(count)]),
    );
    expect([calls.evalsha, calls.eval, calls.time ?? 0]).toEqual([1, undefined, asked]);
  });

  test("counts traffic exactly to the limit, then refuses with used = limit and takes nothing more", async () => {
    for (let n = 0; n < 3; n += 1) {
      const only = { traffic: { key: quotaKey(client, "api_traffic"), limit: 3 }, idempotency: null, spend: null };
      expect((await admission.admit(only)).outcome.kind).toBe("admitted");
    }
    const { outcome } = await admission.admit(request({ trafficLimit: 3 }));
    expect(outcome).toMatchObject({ kind: "traffic_exceeded", refusal: { used: 3, limit: 3 } });
    expect(await used("events")).toBe(0);
    expect(await redis.exists(key)).toBe(0);
  });

  test("a known key spends nothing", async () => {
    await admission.admit(request());
    const { outcome } = await admission.admit(request());
    expect(outcome.kind).toBe("key_known");
    expect(await used("events")).toBe(1);
  });

  test("a refused spend claims no key, so the same key can be tried again", async () => {
    await admission.admit({ ...request(), idempotency: null });
    const { outcome } = await admission.admit(request({ limit: 1 }));
    expect(outcome).toMatchObject({ kind: "resource_exceeded", refusal: { used: 1, limit: 1 } });
    expect(await redis.exists(key)).toBe(0);
  });

  test("a level Redis does not know is not taken for zero", async () => {
    const level = { key: quotaKey(client, "storage_bytes"), window: 0, amount: 5, limit: 10 };
    expect((await admission.admit({ ...request(), spend: level })).outcome.kind).toBe("level_unknown");
    await createQuota(redis).restoreLevel(client, "storage_bytes", 4);
    expect((await admission.admit({ ...request(), spend: level })).outcome.kind).toBe("admitted");
    expect(await used("storage_bytes")).toBe(9);
  });
});

describe("a clock here that is wrong by an hour and a part of a minute", () => {
  const wrong = { read: () => Date.now() - 3_625_000, hear: () => {} };
  const traffic = { key: quotaKey(client, "api_traffic"), limit: 1 };
  const spend = { key: quotaKey(client, "events"), window: 60_000, amount: 1, limit: 1 };

  test("begins no window at another time than Redis's", async () => {
    await createAdmission(redis, wrong).admit({ traffic, idempotency: null, spend });
    for (const name of [traffic.key, spend.key]) {
      const leftMs = await redis.pttl(name);
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThanOrEqual(60_000);
    }
  });

  test.each([
    ["traffic", { traffic, idempotency: null, spend: null }, "traffic_exceeded"],
    ["a resource", { traffic: null, idempotency: null, spend }, "resource_exceeded"],
  ] as const)("leaves a refusal of %s its time, which is Redis's", async (_name, asked, kind) => {
    const { admit } = createAdmission(redis, wrong);
    await admit(asked);
    const leftMs = await redis.pttl(asked.traffic?.key ?? spend.key);
    const { outcome } = await admit(asked);
    expect(outcome.kind).toBe(kind);
    if (outcome.kind !== "traffic_exceeded" && outcome.kind !== "resource_exceeded") return;
    expect(outcome.refusal.retryAfterSeconds).toBeLessThanOrEqual(Math.ceil(leftMs / 1_000));
    expect(outcome.refusal.retryAfterSeconds).toBeGreaterThanOrEqual(Math.ceil(leftMs / 1_000) - 1);
  });
});

describe.each([
  ["asked for each", () => createAdmission(redis, { read: () => null, hear: () => {} })],
  ["known from before", () => knowingTime(createAdmission(redis))],
])("what an admission says, Redis's time being %s", (_how, create) => {
  const admission: Pick<Admission, "admit"> = { admit: (asked) => create().admit(asked) };
  test("the figures of the traffic, by Redis's clock: what remains, and when the minute ends", async () => {
    const nowMs = async (): Promise<number> => Number((await redis.time())[0]) * 1_000;
    const beforeMs = await nowMs();
    const { traffic } = await admission.admit(request());
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "api_traffic"));
    expect(traffic?.remaining).toBe(9);
    expect(endsAtMs % 60_000).toBe(0);
    expect(traffic?.resetSeconds).toBeLessThanOrEqual((endsAtMs - beforeMs) / 1_000);
    expect(traffic?.resetSeconds).toBeGreaterThanOrEqual((endsAtMs - (await nowMs())) / 1_000 - 1);
  });

  test.each([
    ["a day", 86_400_000, 1],
    ["a day", 86_400_000, 7],
    ["a month named by its end", -Date.UTC(2100, 1, 1), 1],
  ])(
    "units of %s end with the window that was said, and are given back into no other",
    async (_name, window, amount) => {
      const spend = { key: quotaKey(client, "events"), window, amount, limit: 10 };
      const { outcome } = await admission.admit({ ...request(), spend });
      if (outcome.kind !== "admitted") throw new Error(outcome.kind);
      expect(await used("events")).toBe(amount);
      expect(await redis.pexpiretime(spend.key)).toBe(outcome.windowEndsAtMs);
      await createQuota(redis).giveBack(client, "events", amount, outcome.windowEndsAtMs - 1);
      expect(await used("events")).toBe(amount);
      await createQuota(redis).giveBack(client, "events", amount, outcome.windowEndsAtMs);
      expect(await used("events")).toBe(0);
    },
  );

  test("of many at once exactly as many as fit are admitted, and a refused one keeps neither unit nor key", async () => {
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        admission.admit({
          ...request({ trafficLimit: 1_000, limit: 20 }),
          idempotency: { key: `${key}-${n}`, claimRecord: runningRecord(fingerprint), claimMs: 30_000 },
        }),
      ),
    );
    const kinds = all.map(({ outcome }) => outcome.kind);
    expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(20);
    expect(kinds.filter((kind) => kind === "resource_exceeded")).toHaveLength(30);
    expect(await used("events")).toBe(20);
    expect(await redis.keys(`${key}-*`)).toHaveLength(20);
  });

  test("is the same when Redis has forgotten the scripts", async () => {
    await admission.admit(request());
    await redis.script("FLUSH");
    expect((await admission.admit(request())).outcome.kind).toBe("key_known");
    expect(await used("events")).toBe(1);
  });
});

describe("the end of a claim", () => {
  const settlement = (claimRecord: string, record: string | null, units: number) => ({
    idempotencyKey: key,
    claimRecord,
    record,
    recordMs: 60_000,
    giveBack: units === 0 ? null : { key: quotaKey(client, "events"), amount: units, windowEndsAtMs: 0, forget: false },
  });

  test("keeps the outcome for replays", async () => {
    const made = request();
    await admission.admit(made);
    await admission.settle(settlement(made.idempotency.claimRecord, doneRecord(fingerprint, 201, '{"data":{}}'), 0));
    const { outcome } = await admission.admit(request());
    expect(outcome.kind === "key_known" && parseRecord(outcome.record)).toEqual({
      state: "done",
      fingerprint,
      status: 201,
      body: '{"data":{}}',
    });
  });

  test("of many claims at once each gets its own outcome, whoever's it is, and few commands carry them", async () => {
    const claims = Array.from({ length: 200 }, (_, n) => ({
      key: idempotencyRecordKey(`client-${n % 3}`, "events.publishDomainEvent", `${n}`),
      claimRecord: runningRecord(fingerprint),
      record: doneRecord(fingerprint, 200, `{"data":"${n} – ä"}`),
    }));
    const settle = ({ key, claimRecord, record }: (typeof claims)[number]): Promise<void> =>
      admission.settle({ idempotencyKey: key, claimRecord, record, recordMs: 60_000, giveBack: null });
    for (const { key, claimRecord } of claims) await redis.set(key, claimRecord);
    const lost = claims[5];
    if (lost !== undefined) await redis.set(lost.key, "another's");
    await redis.config("RESETSTAT");
    await Promise.all(claims.map(settle));
    const commands = /cmdstat_eval(?:sha)?:calls=(\d+)/g;
    const counts = [...(await redis.info("commandstats")).matchAll(commands)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThan(20);
    for (const claim of claims) {
      expect(await redis.get(claim.key)).toBe(claim === lost ? "another's" : claim.record);
    }
    expect(await redis.pttl(claims[0]?.key ?? "")).toBeGreaterThan(30_000);
  });

  test("outcomes that come turn after turn are each kept, also while the last turn's command is on its way", async () => {
    const settling: Promise<void>[] = [];
    for (let n = 0; n < 30; n += 1) await redis.set(`${key}-${n}`, "claim");
    for (let n = 0; n < 30; n += 1) {
      const [idempotencyKey, record] = [`${key}-${n}`, `outcome ${n}`];
      settling.push(
        admission.settle({ idempotencyKey, claimRecord: "claim", record, recordMs: 60_000, giveBack: null }),
      );
      // In the midst of the immediates, in their microtasks, and a turn later.
      if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      else if (n % 3 === 1) await Promise.resolve();
    }
    await Promise.all(settling);
    for (let n = 0; n < 30; n += 1) expect(await redis.get(`${key}-${n}`)).toBe(`outcome ${n}`);
  });

  test("what cannot be settled says so to each who asked", async () => {
    const gone = connectRedis(server.url, () => {});
    await new Promise((resolve) => gone.once("ready", resolve));
    const { settle } = createAdmission(gone);
    gone.disconnect();
    const one = (n: number): Promise<void> =>
      settle({ idempotencyKey: `${key}-${n}`, claimRecord: "R", record: "D", recordMs: 60_000, giveBack: null });
    const results = await Promise.allSettled([one(1), one(2)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  test("a claim that is no longer one's own is left alone: a paused gateway cannot overwrite its successor", async () => {
    const paused = request();
    await admission.admit(paused);
    await redis.del(key);
    const successor = request();
    await admission.admit(successor);
    await admission.settle(settlement(paused.idempotency.claimRecord, doneRecord(fingerprint, 200, "{}"), 0));
    expect(await redis.get(key)).toBe(successor.idempotency.claimRecord);
  });

  test("an unclear outcome leaves the key free to claim, and says so", async () => {
    const made = request();
    await admission.admit(made);
    await admission.settle(settlement(made.idempotency.claimRecord, unclearRecord(fingerprint), 1));
    expect(await used("events")).toBe(0);
    expect((await admission.admit(request())).outcome).toMatchObject({ kind: "admitted", wasUnclear: true });
  });

  test("an admission whose answer was lost is taken back, but only when it was made", async () => {
    const made = request();
    await admission.admit(made);
    await admission.undo(made);
    expect([await redis.exists(key), await used("events")]).toEqual([0, 0]);
    const other = request();
    await admission.admit(other);
    await admission.undo(request());
    expect([await redis.exists(key), await used("events")]).toEqual([1, 1]);
  });
});
