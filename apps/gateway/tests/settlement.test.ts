import { connectRedis } from "@platform/quota/connect-redis";
import { quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { doneRecord, keptByServiceRecord, parseRecord } from "../src/redis/idempotency-record.ts";
import { createMetering, type Metering, type MeteringRequest } from "../src/redis/metering.ts";
import {
  client,
  done,
  fingerprint,
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

describe("the end of a claim", () => {
  test("keeps the outcome for replays, and the unit spent", async () => {
    const asked = request();
    await metering.meter(asked);
    const record = { text: doneRecord(fingerprint, 201, '{"data":"ä"}'), ms: 60_000 };
    await metering.settle(asked, { outcome: "keep", record });
    const { outcome } = await metering.meter(request());
    expect(outcome.kind === "key_known" && parseRecord(outcome.record)).toEqual({
      state: "done",
      fingerprint,
      status: 201,
      body: '{"data":"ä"}',
    });
    expect(await redis.pttl(recordKey("key"))).toBeLessThanOrEqual(60_000);
    expect(await used("events")).toBe(1);
  });

  test("settles claims of one client that end in one tick with one command", async () => {
    const claims = [request({ key: "one" }), request({ key: "two" }), request({ key: "three" })];
    for (const claim of claims) await meter(claim);
    await redis.config("RESETSTAT");
    await Promise.all(claims.map((claim) => metering.settle(claim, { outcome: "keep", record: done })));
    expect(await redis.info("commandstats")).toMatch(/cmdstat_eval(sha)?:calls=1,/);
    expect(await Promise.all(claims.map(({ idempotency }) => redis.get((idempotency as { key: string }).key)))).toEqual(
      claims.map(() => done.text),
    );
  });

  test("settles concurrent claims independently", async () => {
    const claims = Array.from({ length: 200 }, (_, n) => request({ key: `${n}`, limit: 1_000 }));
    await Promise.all(claims.map((claim) => metering.meter(claim)));
    const record = (n: number) => ({ text: doneRecord(fingerprint, 200, `${n}`), ms: 60_000 });
    await Promise.all(claims.map((claim, n) => metering.settle(claim, { outcome: "keep", record: record(n) })));
    for (let n = 0; n < 200; n += 1) expect(await redis.get(recordKey(`${n}`))).toBe(record(n).text);
  });

  test("releases the unit and frees the key if the service did nothing", async () => {
    const asked = request();
    await metering.meter(asked);
    await metering.settle(asked, { outcome: "release", record: null });
    expect([await used("events"), await redis.exists(recordKey("key"))]).toEqual([0, 0]);
  });

  test("releases the unit only to the window in which it was spent", async () => {
    const asked = request();
    await metering.meter(asked);
    await redis.set(quotaKey(client, "events"), 3, "PX", 5_000);
    await metering.settle(asked, { outcome: "release", record: null });
    expect(await used("events")).toBe(3);
  });

  test("releases the unit if the service had done the work before", async () => {
    const asked = request();
    await metering.meter(asked);
    await metering.settle(asked, { outcome: "replayed", record: done });
    expect([await used("events"), await redis.get(recordKey("key"))]).toEqual([0, done.text]);
  });

  test("changes nothing if a paused gateway settles a claim that another gateway has taken over", async () => {
    const paused = request({ leaseMs: 1 });
    await metering.meter(paused);
    const successor = request();
    await eventually(async () => (await meter(successor)) === "admitted");
    for (const outcome of ["keep", "replayed", "release", "unclear"] as const)
      await metering.settle(paused, { outcome, record: done });
    expect(await redis.get(recordKey("key"))).toContain(successor.idempotency?.claimId);
    expect(await used("events")).toBe(1);
  });

  test("reverts a metering whose response was lost, only if Redis had executed it", async () => {
    const [made, never] = [request(), request()];
    await metering.meter(made);
    await metering.settle(never, { outcome: "release", record: null });
    expect([await redis.exists(recordKey("key")), await used("events")]).toEqual([1, 1]);
    await metering.settle(made, { outcome: "release", record: null });
    expect([await redis.exists(recordKey("key")), await used("events")]).toEqual([0, 0]);
  });

  test("reports to each caller that its settlement failed", async () => {
    const gone = connectRedis(fixture.server.url, () => {});
    await new Promise((resolve) => gone.once("ready", resolve));
    const { settle } = createMetering(gone);
    gone.disconnect();
    const results = await Promise.allSettled([request(), request()].map((one) => settle(one, unclear)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

describe("an unclear outcome", () => {
  const loseAnswer = async (changes: RequestChanges = {}): Promise<void> => {
    const asked = request({ limit: 1, ...changes });
    expect(await meter(asked)).toBe("admitted");
    await metering.settle(asked, unclear);
  };

  test("keeps the unit of an unclear outcome with its key: a repeat spends nothing, and other requests are rejected", async () => {
    await loseAnswer();
    expect(await used("events")).toBe(1);
    expect(await meter(request({ key: "other", limit: 1 }))).toBe("resource_exceeded");
    expect(await meter(request({ limit: 1 }))).toBe("admitted");
    expect(await used("events")).toBe(1);
  });

  test("refuses a key with an unclear outcome for another request", async () => {
    await loseAnswer();
    const { outcome } = await metering.meter(request({ fingerprint: "b".repeat(64) }));
    expect(outcome.kind === "key_known" && parseRecord(outcome.record).fingerprint).toBe(fingerprint);
  });

  test("gives the key of an unclear outcome to one repeat at a time", async () => {
    await loseAnswer();
    const kinds = await Promise.all(Array.from({ length: 10 }, () => meter(request({ limit: 1 }))));
    expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(1);
    expect(await used("events")).toBe(1);
  });

  test.each([
    ["done by the repeat", "keep", 1],
    ["done before", "replayed", 1],
    ["refused", "release", 0],
    ["unclear again", "unclear", 1],
  ] as const)("ends an unclear outcome found %s as %s with %i units", async (_name, outcome, units) => {
    await loseAnswer();
    const repeat = request({ limit: 1 });
    await metering.meter(repeat);
    const left = { text: keptByServiceRecord(fingerprint), ms: 60_000 };
    await metering.settle(repeat, { outcome, record: outcome === "keep" || outcome === "replayed" ? left : null });
    expect(await used("events")).toBe(units);
  });

  test("keeps an unclear outcome until the window's end and for as long as replays are kept", async () => {
    await loseAnswer({ keepMs: 60_000 });
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "events"));
    expect(await redis.pexpiretime(recordKey("key"))).toBeGreaterThanOrEqual(endsAtMs);
    await redis.flushall();
    await loseAnswer({ window: 1_000, keepMs: 60_000 });
    expect(await redis.pttl(recordKey("key"))).toBeGreaterThan(50_000);
  });

  test("treats the claim of a dead gateway as an unclear outcome", async () => {
    expect(await meter(request({ limit: 1, leaseMs: 1 }))).toBe("admitted");
    await eventually(async () => (await meter(request({ limit: 1 }))) === "admitted");
    expect(await used("events")).toBe(1);
  });

  test("frees the key of an unclear operation that spends nothing", async () => {
    const asked = { ...request(), spend: null };
    await metering.meter(asked);
    await metering.settle(asked, unclear);
    expect(await redis.exists(recordKey("key"))).toBe(0);
  });
});

test("counts exactly the units of done and unclear outcomes through any sequence of operations, never beyond the limit", async () => {
  const outcomes = ["keep", "replayed", "release", "unclear"] as const;
  const limit = 7;
  /**
   * The units of each key according to a simple model of the rules. Keys with a finished operation are replayed from
   * then on.
   */
  const owned = new Map<string, { units: number; isDone: boolean }>();
  let seed = 42;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % below;
  };
  for (let step = 0; step < 1_500; step += 1) {
    const key = `${random(12)}`;
    const known = owned.get(key) ?? { units: 0, isDone: false };
    const total = [...owned.values()].reduce((sum, { units }) => sum + units, 0);
    const asked = request({ key, limit, trafficLimit: 1_000_000 });
    const kind = await meter(asked);
    const expected = known.isDone ? "key_known" : known.units === 1 || total < limit ? "admitted" : "resource_exceeded";
    expect([step, kind]).toEqual([step, expected]);
    if (kind !== "admitted") {
      // The retention of a replay ends from time to time.
      if (known.isDone && random(3) === 0) {
        await redis.del(recordKey(key), quotaKey(client, "events"));
        for (const other of owned.keys()) await redis.del(recordKey(other));
        owned.clear();
      }
      continue;
    }
    const outcome = outcomes[random(outcomes.length)] ?? "keep";
    const isDone = outcome === "keep" || outcome === "replayed";
    await metering.settle(asked, { outcome, record: isDone ? done : null });
    const units = { keep: 1, unclear: 1, release: 0, replayed: known.units }[outcome];
    owned.set(key, { units, isDone });
    const model = [...owned.values()].reduce((sum, { units: each }) => sum + each, 0);
    expect([step, await used("events")]).toEqual([step, model]);
    expect(model).toBeLessThanOrEqual(limit);
  }
});
