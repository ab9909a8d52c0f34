import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { eventually } from "@platform/test-kit/eventually";
import { type Collection, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";
import { workerProcesses } from "./worker-processes.ts";

type RunRecord = {
  _id: string;
  operation_id: string;
  due_at: Date;
  state: string;
  attempts: { at: Date; status_code: number | null }[];
};

const operations = 500;
const minutes = 6;
const leaseMs = 30_000;
const minute = (number: number): Date => new Date(Date.UTC(2026, 4, 4, 12, number));

let bed: ScheduleBed;
let clientId: string;
let driver: MongoClient;
let runs: Collection<RunRecord>;
let workers: ReturnType<typeof workerProcesses>;

beforeAll(async () => {
  bed = await startScheduleBed({}, { hasWorker: false });
  driver = await MongoClient.connect(bed.mongo.uri);
  runs = driver.db(bed.mongo.database).collection<RunRecord>("scheduled_runs");
  bed.setClock(new Date(minute(0).getTime() + 30_000));
  workers = workerProcesses(bed.env, bed.now());
  clientId = await bed.identity.createClient();
  for (let first = 0; first < operations; first += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const id = await bed.register(clientId, { url: `${bed.target.url}/${first + index}` });
        await bed.setCron(id, "* * * * *");
      }),
    );
  }
});
afterAll(async () => {
  while (workers.count() > 0) await workers.killOldest();
  await driver.close();
  await bed.close();
});

describe("500 operations due every minute", () => {
  test("executes exactly one run per due time with three workers, one of them killed each minute", async () => {
    await Promise.all([workers.start(), workers.start(), workers.start()]);
    for (let number = 1; number <= minutes; number += 1) {
      const before = bed.target.arrivals.length;
      workers.setClock(minute(number));
      await eventually(() => bed.target.arrivals.length >= before + operations / 5);
      await workers.killOldest();
      const replacement = workers.start();
      // Once the lease of the killed worker has expired, and not before, other workers take over its runs.
      workers.setClock(new Date(minute(number).getTime() + leaseMs + 1));
      await replacement;
      await eventually(
        async () => (await runs.countDocuments({ due_at: minute(number), state: "succeeded" })) === operations,
        { timeoutMs: 180_000, what: `every run of minute ${number}` },
      );
    }
    const all = await runs.find({}).toArray();
    const dueTimes = new Set(all.map((run) => `${run.operation_id} ${run.due_at.toISOString()}`));
    expect(all).toHaveLength(operations * minutes);
    expect(dueTimes.size).toBe(operations * minutes);
    expect(all.every(({ state, attempts }) => state === "succeeded" && attempts.length === 1)).toBe(true);
    const waits = all.map((run) => (run.attempts[0]?.at.getTime() ?? Number.POSITIVE_INFINITY) - run.due_at.getTime());
    expect(Math.max(...waits)).toBeLessThanOrEqual(leaseMs + 1);
    const called = new Set(bed.target.arrivals.map(({ headers }) => headers["webhook-id"]));
    expect(called).toEqual(new Set(all.map(({ _id }) => _id)));
  });

  test("executes one run per operation after an hour of outage, and lists the rest as skipped", async () => {
    while (workers.count() > 0) await workers.killOldest();
    const end = minute(minutes + 60);
    workers.setClock(end);
    await Promise.all([workers.start(), workers.start()]);
    // The clock advances, because on a busy machine a run may become due again later: after a lost lease, a late
    // response or an unavailable dependency.
    const startedAtMs = performance.now();
    const goOn = () => workers.setClock(new Date(end.getTime() + performance.now() - startedAtMs));
    const ticking = setInterval(goOn, 100);
    const caughtUp = { due_at: { $gte: end }, state: "succeeded" };
    await eventually(async () => (await runs.distinct("operation_id", caughtUp)).length === operations, {
      timeoutMs: 180_000,
      what: "a catch-up run of every operation",
    }).finally(() => clearInterval(ticking));
    const outage = { $gt: minute(minutes), $lt: end };
    expect(await runs.countDocuments({ due_at: outage })).toBe(operations * 59);
    expect(await runs.countDocuments({ due_at: outage, state: "skipped" })).toBe(operations * 59);
    const called = new Set(bed.target.arrivals.map(({ headers }) => headers["webhook-id"]));
    const skipped = await runs.find({ state: "skipped" }).toArray();
    expect(skipped.filter(({ _id }) => called.has(_id))).toEqual([]);
  });
});

describe("30 runs that are planned for the same time, with a limit of 10 calls per second", () => {
  test("executes every planned run on time and within the rate, although a worker is killed and the clock set back", async () => {
    while (workers.count() > 0) await workers.killOldest();
    const at = minute(minutes + 120);
    const path = "/planned";
    const operationId = await bed.register(clientId, { url: `${bed.target.url}${path}` });
    const perSecond = 10;
    await bed.server.callAdmin.setScheduledOperationRate({ operationId, perSecond }, operatorCall());
    await bed.server.callAdmin.setScheduledOperationHeaders(
      { operationId, headersJson: '{"X-Environment":"blue"}' },
      operatorCall(),
    );
    bed.setClock(minute(minutes + 60));
    const planned = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const request = { operationId, at: timestampFromDate(at) };
        return (await bed.server.callAdmin.runScheduledOperationAt(request, operatorCall())).invocationId;
      }),
    );
    const before = new Date(at.getTime() - 1);
    workers.setClock(before);
    await Promise.all([workers.start(), workers.start()]);
    // Once this invocation was executed, the workers have polled.
    const other = await bed.register(clientId, { url: `${bed.target.url}/other` });
    bed.setClock(minute(minutes + 61));
    await bed.invoke(other);
    await eventually(() => bed.target.arrivalsAt("/other").length === 1);
    expect(bed.target.arrivalsAt(path)).toEqual([]);

    let now = at.getTime();
    let lastMs = performance.now();
    const startedAtMs = lastMs;
    const goOn = (): void => {
      now += performance.now() - lastMs;
      lastMs = performance.now();
      workers.setClock(new Date(now));
    };
    const ticking = setInterval(goOn, 50);
    await eventually(() => bed.target.arrivalsAt(path).length >= 10);
    await workers.killOldest();
    now -= 60_000;
    goOn();
    await workers.start();
    now += 60_000 + leaseMs;
    const ofOperation = { operation_id: operationId, state: "succeeded" };
    await eventually(async () => (await runs.countDocuments(ofOperation)) === planned.length, {
      timeoutMs: 120_000,
      what: "every planned run",
    }).finally(() => clearInterval(ticking));
    const arrivals = bed.target.arrivalsAt(path);
    expect(new Set(arrivals.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set(planned));
    expect(arrivals.every(({ headers }) => headers["x-environment"] === "blue")).toBe(true);
    const leastMs = ((arrivals.length - 1) * 1_000) / perSecond;
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(leastMs - arrivals.length);
  });
});
