import { once } from "node:events";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { connectRedis } from "@platform/quota/connect-redis";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallPacer } from "../src/redis/pace-calls.ts";
import { operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let driver: MongoClient;
let operationId: string;
let clientId: string;

beforeAll(async () => {
  bed = await startScheduleBed();
  driver = await MongoClient.connect(bed.mongo.uri);
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
  bed.setClock("2026-03-02T12:00:30.000Z");
  operationId = await bed.register(clientId);
});
afterAll(async () => {
  await driver.close();
  await bed.close();
});

const calls = () => bed.server.callAdmin;
const arrivals = () => bed.target.arrivalsAt(`/${clientId}`);
const setHeaders = (headers: object, revision?: number) =>
  calls().setScheduledOperationHeaders(
    { operationId, headersJson: JSON.stringify(headers), ...defined({ revision }) },
    operatorCall(),
  );
const setRate = (perSecond: number) => calls().setScheduledOperationRate({ operationId, perSecond }, operatorCall());
const runAt = (at: string, id = operationId) =>
  calls().runScheduledOperationAt({ operationId: id, at: timestampFromDate(new Date(at)) }, operatorCall());
const operation = async () =>
  (await bed.server.scheduleAdmin.getScheduledOperation({ operationId }, operatorCall())).operation;
const succeeded = async () => {
  const id = await bed.invoke(operationId);
  await bed.runWhen(operationId, (run) => run.id === id && run.status === "succeeded");
};

describe("the headers of an operation", () => {
  test("sends configured headers with each call until they are removed", async () => {
    await setHeaders({ "X-Environment": "blue", Authorization: "Bearer of-the-target" });
    await succeeded();
    await setHeaders({ "X-Environment": "green" });
    await succeeded();
    await setHeaders({});
    await succeeded();
    const carried = arrivals().map(({ headers }) => [headers["x-environment"], headers.authorization]);
    expect(carried).toEqual([
      ["blue", "Bearer of-the-target"],
      ["green", undefined],
      [undefined, undefined],
    ]);
    expect(arrivals().every(({ headers }) => String(headers["webhook-signature"]).startsWith("v1,"))).toBe(true);
  });

  test("stores header values encrypted, and returns only their names", async () => {
    await setHeaders({ Authorization: "Bearer of-the-target" });
    const stored = await driver
      .db(bed.mongo.database)
      .collection<{ _id: string }>("scheduled_operations")
      .findOne({ _id: operationId });
    expect(await operation()).toMatchObject({ headerNames: ["Authorization"], revision: 1 });
    expect(stored).toMatchObject({ header_names: ["Authorization"] });
    expect(JSON.stringify(stored)).not.toContain("of-the-target");
  });

  test("keeps the headers of an operation if new ones are rejected, or if another change was written first", async () => {
    await setHeaders({ "X-A": "1" }, 0);
    await expect(setHeaders({ "Webhook-Signature": "v1,forged" })).rejects.toMatchObject({
      code: "contract_violation",
    });
    await expect(setHeaders({ "X-B": "1" }, 0)).rejects.toMatchObject({
      code: "revision_conflict",
      details: { revision: 1 },
    });
    expect(await operation()).toMatchObject({ headerNames: ["X-A"], revision: 1 });
  });
});

describe("a run at a given time", () => {
  test("executes a planned run once at its time, in addition to the schedule", async () => {
    await bed.setCron(operationId, "0 13 * * *");
    const { invocationId } = await runAt("2026-03-02T12:30:00.000Z");
    expect(await bed.runsOf(operationId)).toMatchObject([{ id: invocationId, status: "pending", attempts: [] }]);
    bed.setClock("2026-03-02T12:29:59.999Z");
    await bed.invoke(operationId);
    await eventually(() => arrivals().length === 1);
    bed.setClock("2026-03-02T12:30:00.000Z");
    await bed.runWhen(operationId, ({ id, status }) => id === invocationId && status === "succeeded");
    // Setting the clock back, by an operator or because of a wrong time source, does not make the run due again.
    bed.setClock("2026-03-02T11:00:00.000Z");
    bed.setClock("2026-03-02T12:59:00.000Z");
    await bed.invoke(operationId);
    await eventually(() => arrivals().length === 3);
    const ofRun = arrivals().filter(({ headers }) => headers["webhook-id"] === invocationId);
    expect(ofRun.map(({ body }) => JSON.parse(body.toString()).scheduled_for)).toEqual(["2026-03-02T12:30:00.000Z"]);
  });

  test.each(["skip", "queue"])(
    "does not delay scheduled runs for a later planned run with the overlap policy %s",
    async (overlap) => {
      await bed.server.scheduleAdmin.setScheduledOperationCron(
        { operationId, cron: "* * * * *", timezone: "UTC", overlap },
        operatorCall(),
      );
      await runAt("2026-04-02T12:00:00.000Z");
      bed.setClock("2026-03-02T12:01:00.000Z");
      const scheduledFor = "2026-03-02T12:01:00.000Z";
      await bed.runWhen(operationId, (run) => run.scheduledFor === scheduledFor && run.status === "succeeded");
    },
  );

  test("accepts a planned run at most 366 days in the future", async () => {
    await runAt("2026-03-02T12:00:30.001Z");
    await runAt("2027-03-03T12:00:30.000Z");
    await expect(runAt("2026-03-02T12:00:30.000Z")).rejects.toThrow("must lie ahead");
    await expect(runAt("2027-03-03T12:00:30.001Z")).rejects.toThrow("366 days");
    await expect(calls().runScheduledOperationAt({ operationId }, operatorCall())).rejects.toThrow("Name the time");
    await expect(runAt("2026-03-03T00:00:00Z", clientId)).rejects.toThrow("There is no such scheduled operation");
  });

  test("rejects a planned run while the operation is disabled, and skips a run that becomes due while it is disabled", async () => {
    const { invocationId } = await runAt("2026-03-02T12:30:00.000Z");
    await bed.server.scheduleAdmin.disableScheduledOperation({ operationId }, operatorCall());
    await expect(runAt("2026-03-02T12:30:00.000Z")).rejects.toThrow("enable it first");
    bed.setClock("2026-03-02T12:30:00.000Z");
    const run = await bed.runWhen(operationId, ({ id, status }) => id === invocationId && status === "skipped");
    expect(run.error).toBe("operation_disabled");
  });
});

describe("the maximum number of calls per second", () => {
  test("accepts a rate of 1 to 1,000, or no rate", async () => {
    await setRate(1_000);
    expect(await operation()).toMatchObject({ perSecond: 1_000, revision: 1 });
    await expect(setRate(1_001)).rejects.toThrow("1 to 1,000");
    await setRate(0);
    expect((await operation())?.perSecond).toBeUndefined();
  });

  test("spaces calls evenly, without losing or repeating any", async () => {
    const perSecond = 5;
    const count = 10;
    await setRate(perSecond);
    const startedAtMs = performance.now();
    const begin = bed.now().getTime();
    const ticking = setInterval(() => bed.setClock(new Date(begin + performance.now() - startedAtMs)), 20);
    const invocations = await Promise.all(Array.from({ length: count }, () => bed.invoke(operationId)));
    await eventually(async () => (await bed.runsOf(operationId)).every(({ status }) => status === "succeeded"), {
      timeoutMs: 30_000,
    }).finally(() => clearInterval(ticking));
    const tookMs = performance.now() - startedAtMs;
    expect(
      arrivals()
        .map(({ headers }) => headers["webhook-id"])
        .sort(),
    ).toEqual(invocations.sort());
    // This also holds on the slowest machine, because a call may be late but never early. Rounding may cost one
    // millisecond for each call.
    expect(tookMs).toBeGreaterThanOrEqual(((count - 1) * 1_000) / perSecond - count);
  });

  test("reserves calls at most a second ahead by the clock of Redis, for every worker", async () => {
    const redis = connectRedis(bed.redis.url, () => {});
    await once(redis, "ready");
    const [one, other] = [createCallPacer(redis), createCallPacer(redis)];
    const call = { clientId, operationId, perSecond: 1 };
    const paces = await Promise.all([one.reserve(call), other.reserve(call), one.reserve(call), other.reserve(call)]);
    expect(paces.map(({ isReserved }) => isReserved)).toEqual([true, true, false, false]);
    expect(paces[0]?.waitMs).toBe(0);
    expect(paces[1]?.waitMs).toBeLessThanOrEqual(1_000);
    expect([one.isFull(operationId), one.isFull("another")]).toEqual([true, false]);
    // If the clock steps back by an hour, calls must not stop for that hour.
    await redis.set(`{${clientId}}:calls:${operationId}`, `${(Date.now() + 3_600_000) * 1_000}`);
    expect(await other.reserve(call)).toEqual({ isReserved: true, waitMs: 0 });
    redis.disconnect();
  });
});

describe("the due times that are shown in advance", () => {
  const iso = (times: readonly Parameters<typeof timestampDate>[0][]) =>
    times.map((time) => timestampDate(time).toISOString());

  test("returns five due times of an operation, and none if it has no schedule or is disabled", async () => {
    expect((await operation())?.nextDueTimes).toEqual([]);
    await bed.setCron(operationId, "0 9 * * *", "Asia/Tokyo");
    const days = ["03", "04", "05", "06", "07"].map((day) => `2026-03-${day}T00:00:00.000Z`);
    expect(iso((await operation())?.nextDueTimes ?? [])).toEqual(days);
    const typed = { cron: "0 9 * * *", timezone: "Asia/Tokyo" };
    expect(iso((await calls().listDueTimes(typed, operatorCall())).dueTimes)).toEqual(days);
    await bed.server.scheduleAdmin.disableScheduledOperation({ operationId }, operatorCall());
    expect((await operation())?.nextDueTimes).toEqual([]);
  });

  test("refuses to compute the due times of an invalid schedule", async () => {
    await expect(calls().listDueTimes({ cron: "0 9 * *", timezone: "UTC" }, operatorCall())).rejects.toThrow(
      "five fields",
    );
  });
});
