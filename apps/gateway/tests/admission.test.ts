import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { levelClaimsKey, quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import type { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Admission, type AdmissionRequest, createAdmission, newClaimId } from "../src/redis/admission.ts";
import {
  doneRecord,
  idempotencyRecordKey,
  keptByServiceRecord,
  parseRecord,
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
const dayMs = 86_400_000;
const fingerprint = "a".repeat(64);
const recordKey = (key: string): string => idempotencyRecordKey(client, "events.publishDomainEvent", key);
type Claiming = AdmissionRequest & { idempotency: object; spend: object };
const request = (
  changes: {
    key?: string;
    fingerprint?: string;
    leaseMs?: number;
    trafficLimit?: number;
    window?: number;
    amount?: number;
    limit?: number;
    keepMs?: number;
    resource?: string;
  } = {},
): Claiming => {
  const { key = "key", resource = "events", trafficLimit = 10_000, leaseMs = 30_000 } = changes;
  const { window = dayMs, amount = 1, limit = 10, keepMs = dayMs } = changes;
  return {
    traffic: { key: quotaKey(client, "api_traffic"), limit: trafficLimit },
    idempotency: {
      key: recordKey(key),
      fingerprint: changes.fingerprint ?? fingerprint,
      claimId: newClaimId(),
      leaseMs,
    },
    spend: {
      key: quotaKey(client, resource),
      claimsKey: levelClaimsKey(client, resource),
      window,
      amount,
      limit,
      keepMs,
    },
  };
};
const trafficOnly = (limit: number): AdmissionRequest => ({
  traffic: { key: quotaKey(client, "api_traffic"), limit },
  idempotency: null,
  spend: null,
});
const used = (resource: string): Promise<number> => createQuota(redis).used(client, resource);
const admit = async (asked: AdmissionRequest): Promise<string> => (await admission.admit(asked)).outcome.kind;
const done = { text: doneRecord(fingerprint, 200, "{}"), ms: 60_000 };

/** Commands that clients sent; what a script calls inside is none. */
async function commandsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await redis.config("RESETSTAT");
  await work();
  const stats = await redis.info("commandstats");
  const counts = [...stats.matchAll(/cmdstat_(eval|evalsha|multi|exec|get|set):calls=(\d+)/g)];
  return Object.fromEntries(counts.map(([, name, count]) => [name, Number(count)]));
}

describe("the admission of a request", () => {
  test("is exactly one command, and so is its settlement", async () => {
    const first = request({ key: "first" });
    await admission.admit(first);
    await admission.settle(first, { outcome: "keep", record: done });
    const asked = request();
    expect((await commandsOf(() => admission.admit(asked))).evalsha).toBe(1);
    expect((await commandsOf(() => admission.settle(asked, { outcome: "keep", record: done }))).evalsha).toBe(1);
  });

  test("goes on when Redis has forgotten the scripts", async () => {
    await admission.admit(request());
    await redis.script("FLUSH");
    expect(await admit(request())).toBe("key_known");
    expect(await used("events")).toBe(1);
  });

  test("counts traffic to the limit, then refuses with used = limit and takes nothing more", async () => {
    for (let n = 0; n < 3; n += 1) expect(await admit(trafficOnly(3))).toBe("admitted");
    const { outcome } = await admission.admit(request({ trafficLimit: 3 }));
    expect(outcome).toMatchObject({ kind: "traffic_exceeded", refusal: { used: 3, limit: 3 } });
    expect([await used("events"), await used("api_traffic")]).toEqual([0, 3]);
    expect(await redis.exists(recordKey("key"))).toBe(0);
  });

  test("tells what traffic remains and when the minute ends, by Redis's clock", async () => {
    const nowMs = async (): Promise<number> => Number((await redis.time())[0]) * 1_000;
    const beforeMs = await nowMs();
    const { traffic } = await admission.admit(trafficOnly(10));
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "api_traffic"));
    expect(traffic?.remaining).toBe(9);
    expect(endsAtMs % 60_000).toBe(0);
    expect(traffic?.resetSeconds).toBeLessThanOrEqual((endsAtMs - beforeMs) / 1_000);
    expect(traffic?.resetSeconds).toBeGreaterThanOrEqual((endsAtMs - (await nowMs())) / 1_000 - 1);
  });

  test("spends nothing when the key is known, nor when the key was used for another request", async () => {
    await admission.admit(request());
    expect(await admit(request())).toBe("key_known");
    expect(await admit(request({ fingerprint: "b".repeat(64) }))).toBe("key_known");
    expect(await used("events")).toBe(1);
  });

  test("takes the last unit and refuses one past it, which claims no key", async () => {
    for (let n = 1; n < 10; n += 1) await admission.admit(request({ key: `${n}` }));
    expect(await admit(request({ key: "last" }))).toBe("admitted");
    const { outcome } = await admission.admit(request({ key: "past" }));
    expect(outcome).toMatchObject({ kind: "resource_exceeded", refusal: { used: 10, limit: 10 } });
    expect([await used("events"), await redis.exists(recordKey("past"))]).toEqual([10, 0]);
    expect(await admit(request({ key: "past", limit: 11 }))).toBe("admitted");
  });

  test("admits of many at once exactly as many as fit", async () => {
    const asked = Array.from({ length: 50 }, (_, n) => request({ key: `${n}`, amount: 3, limit: 61 }));
    const kinds = await Promise.all(asked.map(admit));
    expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(20);
    expect(kinds.filter((kind) => kind === "resource_exceeded")).toHaveLength(30);
    expect(await used("events")).toBe(60);
    expect(await redis.keys(`{${client}}:idempotency:*`)).toHaveLength(20);
  });

  test("begins a new window at the old one's end, which a refusal names", async () => {
    const window = 1_000;
    const within = async (key: string) => admission.admit(request({ key, window, limit: 1 }));
    // Begins anew should the window end between the two.
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
  ])("lets the units of %s end with their window", async (_name, window) => {
    await admission.admit(request({ window }));
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "events"));
    expect(endsAtMs).toBe(window < 0 ? -window : (Math.floor(Date.now() / dayMs) + 1) * dayMs);
  });

  test("finds its own claim when the command is sent again, and spends nothing more", async () => {
    const asked = request();
    expect([await admit(asked), await admit(asked)]).toEqual(["admitted", "admitted"]);
    expect(await used("events")).toBe(1);
    await admission.settle(asked, { outcome: "release", record: null });
    expect(await used("events")).toBe(0);
  });
});

describe("a level", () => {
  const level = (changes: Parameters<typeof request>[0] = {}) =>
    request({ resource: "storage_bytes", window: 0, amount: 5, limit: 10, ...changes });
  const restore = (units: number) => createQuota(redis).restoreLevel(client, "storage_bytes", async () => units);

  test("is not taken for zero when Redis does not know it; a known one is spent to its limit and never expires", async () => {
    expect(await admit(level())).toBe("level_unknown");
    expect(await redis.exists(recordKey("key"))).toBe(0);
    await restore(5);
    expect(await admit(level())).toBe("admitted");
    const { outcome } = await admission.admit(level({ key: "past", amount: 1 }));
    expect(outcome).toMatchObject({ refusal: { used: 10, limit: 10, retryAfterSeconds: 60 } });
    expect(await redis.pexpiretime(quotaKey(client, "storage_bytes"))).toBe(-1);
  });

  test("is not counted at its owner while a claim on it is under way, which the count may have missed", async () => {
    await restore(0);
    const asked = level();
    await admission.admit(asked);
    await redis.del(quotaKey(client, "storage_bytes"));
    expect(await restore(0)).toBe(false);
    expect(await redis.exists(quotaKey(client, "storage_bytes"))).toBe(0);
    await admission.settle(asked, { outcome: "keep", record: done });
    expect(await restore(5)).toBe(true);
    expect(await used("storage_bytes")).toBe(5);
  });

  test("is counted anew at its owner when units of an unclear outcome are not kept any more", async () => {
    await restore(0);
    const asked = level({ keepMs: 60_000 });
    await admission.admit(asked);
    await admission.settle(asked, { outcome: "unclear", record: null });
    const expiresAtMs = await redis.pexpiretime(recordKey("key"));
    expect(await redis.pexpiretime(quotaKey(client, "storage_bytes"))).toBe(expiresAtMs);
    expect(expiresAtMs - Date.now()).toBeGreaterThan(50_000);
    expect(await used("storage_bytes")).toBe(5);
  });

  test("is counted anew at its owner after a gateway died with a claim on it", async () => {
    await restore(0);
    await admission.admit(level({ leaseMs: 1, keepMs: 60_000 }));
    await eventually(async () => {
      await admission.admit(level({ key: newClaimId(), amount: 0 }));
      return (await redis.pexpiretime(quotaKey(client, "storage_bytes"))) > 0;
    });
    expect(await used("storage_bytes")).toBe(5);
  });
});

describe("the end of a claim", () => {
  test("keeps the outcome for replays, and its unit stays spent", async () => {
    const asked = request();
    await admission.admit(asked);
    const record = { text: doneRecord(fingerprint, 201, '{"data":"ä"}'), ms: 60_000 };
    await admission.settle(asked, { outcome: "keep", record });
    const { outcome } = await admission.admit(request());
    expect(outcome.kind === "key_known" && parseRecord(outcome.record)).toEqual({
      state: "done",
      fingerprint,
      status: 201,
      body: '{"data":"ä"}',
    });
    expect(await redis.pttl(recordKey("key"))).toBeLessThanOrEqual(60_000);
    expect(await used("events")).toBe(1);
  });

  test("settles concurrent claims independently", async () => {
    const claims = Array.from({ length: 200 }, (_, n) => request({ key: `${n}`, limit: 1_000 }));
    await Promise.all(claims.map((claim) => admission.admit(claim)));
    const record = (n: number) => ({ text: doneRecord(fingerprint, 200, `${n}`), ms: 60_000 });
    await Promise.all(claims.map((claim, n) => admission.settle(claim, { outcome: "keep", record: record(n) })));
    for (let n = 0; n < 200; n += 1) expect(await redis.get(recordKey(`${n}`))).toBe(record(n).text);
  });

  test("gives the unit back and frees the key when nothing was done", async () => {
    const asked = request();
    await admission.admit(asked);
    await admission.settle(asked, { outcome: "release", record: null });
    expect([await used("events"), await redis.exists(recordKey("key"))]).toEqual([0, 0]);
  });

  test("gives back into no window but the one the unit was taken in", async () => {
    const asked = request();
    await admission.admit(asked);
    await redis.set(quotaKey(client, "events"), 3, "PX", 5_000);
    await admission.settle(asked, { outcome: "release", record: null });
    expect(await used("events")).toBe(3);
  });

  test("gives the unit back when the service had done it before", async () => {
    const asked = request();
    await admission.admit(asked);
    await admission.settle(asked, { outcome: "replayed", record: done });
    expect([await used("events"), await redis.get(recordKey("key"))]).toEqual([0, done.text]);
  });

  test("leaves a claim alone that is no longer one's own: a paused gateway cannot undo its successor's", async () => {
    const paused = request({ leaseMs: 1 });
    await admission.admit(paused);
    const successor = request();
    await eventually(async () => (await admit(successor)) === "admitted");
    for (const outcome of ["keep", "replayed", "release", "unclear"] as const)
      await admission.settle(paused, { outcome, record: done });
    expect(await redis.get(recordKey("key"))).toContain(successor.idempotency?.claimId);
    expect(await used("events")).toBe(1);
  });

  test("takes an admission back whose answer was lost, but only when it was made", async () => {
    const [made, never] = [request(), request()];
    await admission.admit(made);
    await admission.settle(never, { outcome: "release", record: null });
    expect([await redis.exists(recordKey("key")), await used("events")]).toEqual([1, 1]);
    await admission.settle(made, { outcome: "release", record: null });
    expect([await redis.exists(recordKey("key")), await used("events")]).toEqual([0, 0]);
  });

  test("tells each who asked that it could not be settled", async () => {
    const gone = connectRedis(server.url, () => {});
    await new Promise((resolve) => gone.once("ready", resolve));
    const { settle } = createAdmission(gone);
    gone.disconnect();
    const results = await Promise.allSettled([request(), request()].map((one) => settle(one, unclear)));
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
});

const unclear = { outcome: "unclear", record: null } as const;

describe("an unclear outcome", () => {
  const loseAnswer = async (changes: Parameters<typeof request>[0] = {}): Promise<void> => {
    const asked = request({ limit: 1, ...changes });
    expect(await admit(asked)).toBe("admitted");
    await admission.settle(asked, unclear);
  };

  test("leaves the unit with the key: its repeat spends nothing and is not refused, any other is", async () => {
    await loseAnswer();
    expect(await used("events")).toBe(1);
    expect(await admit(request({ key: "other", limit: 1 }))).toBe("resource_exceeded");
    expect(await admit(request({ limit: 1 }))).toBe("admitted");
    expect(await used("events")).toBe(1);
  });

  test("refuses the key for another request", async () => {
    await loseAnswer();
    const { outcome } = await admission.admit(request({ fingerprint: "b".repeat(64) }));
    expect(outcome.kind === "key_known" && parseRecord(outcome.record).fingerprint).toBe(fingerprint);
  });

  test("lets one repeat at a time have the key", async () => {
    await loseAnswer();
    const kinds = await Promise.all(Array.from({ length: 10 }, () => admit(request({ limit: 1 }))));
    expect(kinds.filter((kind) => kind === "admitted")).toHaveLength(1);
    expect(await used("events")).toBe(1);
  });

  test.each([
    ["done by the repeat", "keep", 1],
    ["done before", "replayed", 1],
    ["refused", "release", 0],
    ["unclear again", "unclear", 1],
  ] as const)("that is found %s leaves %s: %i units", async (_name, outcome, units) => {
    await loseAnswer();
    const repeat = request({ limit: 1 });
    await admission.admit(repeat);
    const left = { text: keptByServiceRecord(fingerprint), ms: 60_000 };
    await admission.settle(repeat, { outcome, record: outcome === "keep" || outcome === "replayed" ? left : null });
    expect(await used("events")).toBe(units);
  });

  test("is remembered until the window's end and for as long as replays are kept", async () => {
    await loseAnswer({ keepMs: 60_000 });
    const endsAtMs = await redis.pexpiretime(quotaKey(client, "events"));
    expect(await redis.pexpiretime(recordKey("key"))).toBeGreaterThanOrEqual(endsAtMs);
    await redis.flushall();
    await loseAnswer({ window: 1_000, keepMs: 60_000 });
    expect(await redis.pttl(recordKey("key"))).toBeGreaterThan(50_000);
  });

  test("is what a claim becomes whose gateway died: the unit stays with the key", async () => {
    expect(await admit(request({ limit: 1, leaseMs: 1 }))).toBe("admitted");
    await eventually(async () => (await admit(request({ limit: 1 }))) === "admitted");
    expect(await used("events")).toBe(1);
  });

  test("frees the key of an operation that spends nothing: its service has a record", async () => {
    const asked = { ...request(), spend: null };
    await admission.admit(asked);
    await admission.settle(asked, unclear);
    expect(await redis.exists(recordKey("key"))).toBe(0);
  });
});

test("keeps used = units of done and unclear outcomes through any sequence of outcomes, never beyond the limit", async () => {
  const outcomes = ["keep", "replayed", "release", "unclear"] as const;
  const limit = 7;
  /** Units each key owns as a plain model of the rules has it; done keys are replayed from then on. */
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
    const kind = await admit(asked);
    const expected = known.isDone ? "key_known" : known.units === 1 || total < limit ? "admitted" : "resource_exceeded";
    expect([step, kind]).toEqual([step, expected]);
    if (kind !== "admitted") {
      // A replay's time is over now and then.
      if (known.isDone && random(3) === 0) {
        await redis.del(recordKey(key), quotaKey(client, "events"));
        for (const other of owned.keys()) await redis.del(recordKey(other));
        owned.clear();
      }
      continue;
    }
    const outcome = outcomes[random(outcomes.length)] ?? "keep";
    const isDone = outcome === "keep" || outcome === "replayed";
    await admission.settle(asked, { outcome, record: isDone ? done : null });
    const units = { keep: 1, unclear: 1, release: 0, replayed: known.units }[outcome];
    owned.set(key, { units, isDone });
    const model = [...owned.values()].reduce((sum, { units: each }) => sum + each, 0);
    expect([step, await used("events")]).toEqual([step, model]);
    expect(model).toBeLessThanOrEqual(limit);
  }
});
