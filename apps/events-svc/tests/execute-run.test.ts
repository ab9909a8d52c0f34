import { silentLogger } from "@platform/kit/process/telemetry";
import { noticeFact } from "@platform/operator-plane/platform-events";
import { Agent, buildConnector } from "undici";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { CallableOperation } from "../src/store/callable-operations.ts";
import type { ClaimedRun } from "../src/store/run-queue.ts";
import { resumeIfActive } from "../src/store/subscriptions.ts";
import { executeRun, type RunTools } from "../src/worker/runs/execute-run.ts";
import { openScheduleStore, type ScheduleStore } from "./schedule-store.ts";
import { startTarget, type Target } from "./target.ts";

const agent = new Agent();
let store: ScheduleStore;
let target: Target;

beforeAll(async () => {
  store = await openScheduleStore();
  target = await startTarget();
});
beforeEach(async () => {
  await store.clear();
  target.arrivals.length = 0;
});
afterAll(async () => {
  await agent.close();
  target.close();
  await store.close();
});

const operation = (): CallableOperation => ({
  id: "operation",
  clientId: "c",
  environment: "development",
  name: "nightly.report",
  origin: target.url,
  path: "/hook",
  secret: "s".repeat(32),
  previous: null,
  headers: [],
  perSecond: null,
});

async function claimOne(): Promise<ClaimedRun> {
  const ids = await store.addRuns(1, { clientId: "c", operationOf: () => "operation" });
  const [run] = await store.queueAt().claim(ids);
  if (run === undefined) throw new Error("nothing was claimed");
  return run;
}

/** The worker's dependencies, with a local counter instead of Redis. `given` lists the units that were returned. */
function toolsWith(fields: Partial<RunTools>): { tools: RunTools; given: number[] } {
  const given: number[] = [];
  return {
    given,
    tools: {
      models: { schedule: store.models, subscriptions: store.subscriptions },
      turns: { take: async () => () => {} },
      lendEvent: async (_asked, use) => use({ take: () => null, release: () => {} }),
      releaseLane: async () => {},
      onReleased: () => {},
      resumeIfActive: async () => {},
      facts: { of: () => null, notice: (_clientId, fact, at) => noticeFact(fact, at, false) },
      failures: { note: async () => {} },
      quota: { release: async (_clientId, _resource, amount) => void given.push(amount) },
      meter: async () => ({ is: "spent", windowEndsAtMs: 0 }),
      pacer: { reserve: async () => ({ isReserved: true, waitMs: 0 }) },
      dispatcherOf: () => agent,
      settle: store.queueAt().settle,
      openCalls: new Set(),
      clock: () => store.now,
      logger: silentLogger(),
      observe: () => {},
      ...fields,
    },
  };
}

test("reports the target's response before the outcome is written, so that the target gets its next call (slow database)", async () => {
  const run = await claimOne();
  const { settle } = store.queueAt();
  const { promise: written, resolve: finishWrite } = Promise.withResolvers<void>();
  const { promise: responded, resolve: onResponse } = Promise.withResolvers<void>();
  const { tools } = toolsWith({
    settle: async (claimed, settlement) => {
      await written;
      return settle(claimed, settlement);
    },
  });
  let hasSettled = false;
  const made = executeRun(tools, { run, operation: operation(), subscription: undefined }, onResponse).then(() => {
    hasSettled = true;
  });
  await responded;
  expect(target.arrivals).toHaveLength(1);
  expect(hasSettled).toBe(false);
  finishWrite();
  await made;
});

test("writes an outcome later if the first write failed, without repeating the call", async () => {
  const run = await claimOne();
  const { settle } = store.queueAt();
  let failures = 0;
  const { tools } = toolsWith({
    settle: async (claimed, settlement) => {
      if (failures < 3) {
        failures += 1;
        throw new Error("the database is away");
      }
      return settle(claimed, settlement);
    },
  });
  await executeRun(tools, { run, operation: operation(), subscription: undefined });
  expect(failures).toBe(3);
  expect(target.arrivals).toHaveLength(1);
  expect(await store.run(run.document._id)).toMatchObject({ state: "succeeded", attempt_count: 1 });
});

test("leaves a run to the next worker if its outcome could not be written before the lease ended", async () => {
  const run = await claimOne();
  let now = store.now;
  const { tools } = toolsWith({
    clock: () => now,
    settle: async () => {
      now = run.leasedUntil;
      throw new Error("the database is away");
    },
  });
  await expect(executeRun(tools, { run, operation: operation(), subscription: undefined })).rejects.toThrow(
    "the database is away",
  );
});

test("does not start a call that could outlast the run's lease, and returns its quota unit", async () => {
  const run = await claimOne();
  const { tools, given } = toolsWith({ clock: () => new Date(run.leasedUntil.getTime() - 14_000) });
  await executeRun(tools, { run, operation: operation(), subscription: undefined });
  expect(target.arrivals).toEqual([]);
  expect(given).toEqual([1]);
  expect(await store.run(run.document._id)).toMatchObject({
    state: "running",
    claim: run.document.claim,
    attempt_count: 0,
  });
});

test("does not start a call if its connection is ready only after the lease has ended", async () => {
  const run = await claimOne();
  let now = store.now;
  const connect = buildConnector({});
  const lateAgent = new Agent({
    connect: (options, done) => {
      // The worker was paused while it connected, and resumed after its lease had expired.
      now = run.leasedUntil;
      connect(options, done);
    },
  });
  const { tools, given } = toolsWith({ clock: () => now, dispatcherOf: () => lateAgent });
  await executeRun(tools, { run, operation: operation(), subscription: undefined });
  expect(target.arrivals).toEqual([]);
  expect(given).toEqual([1]);
  expect(await store.run(run.document._id)).toMatchObject({
    state: "running",
    claim: run.document.claim,
    attempt_count: 0,
  });
  await lateAgent.destroy();
});

test("does not send an event if its memory was granted only after the run's lease, and returns its quota unit", async () => {
  const ids = await store.addRuns(1, { clientId: "c", operationOf: () => "operation" });
  const [claimed] = await store.queueAt().claim(ids);
  if (claimed === undefined) throw new Error("nothing was claimed");
  const document = { ...claimed.document, subscription_id: "subscription", event_id: "event" };
  const run: ClaimedRun = { ...claimed, document };
  let now = store.now;
  let wasTaken = false;
  const { tools, given } = toolsWith({
    clock: () => now,
    lendEvent: async (_asked, use) => {
      now = run.leasedUntil;
      return use({
        take: () => {
          wasTaken = true;
          return null;
        },
        release: () => {},
      });
    },
  });
  await executeRun(tools, { run, operation: operation(), subscription: "active" });
  expect(wasTaken).toBe(false);
  expect(given).toEqual([1]);
  expect(await store.run(document._id)).toMatchObject({ state: "running", attempt_count: 0 });
});

test("postpones a run without a call and without spending a unit while its rate is used up or Redis is unavailable", async () => {
  for (const reserve of [
    async () => ({ isReserved: false, waitMs: 700 }),
    () => Promise.reject(new Error("Redis is away")),
  ]) {
    await store.clear();
    const run = await claimOne();
    let units = 0;
    const { tools } = toolsWith({
      pacer: { reserve },
      meter: async () => {
        units += 1;
        return { is: "spent", windowEndsAtMs: 0 };
      },
    });
    await executeRun(tools, { run, operation: { ...operation(), perSecond: 1 }, subscription: undefined });
    expect([target.arrivals.length, units]).toEqual([0, 0]);
    const stored = await store.run(run.document._id);
    expect(stored).toMatchObject({ state: "pending", attempt_count: 0, tries_left: 5 });
    expect(stored?.claimable_at?.getTime()).toBeGreaterThan(store.now.getTime());
  }
});

test.each([
  ["due", { subscription: "active", operation: "active" }],
  ["deferred", { subscription: "paused", operation: "active" }],
  ["deferred", { subscription: "active", operation: "disabled" }],
])(
  "leaves a run %s if its subscription was paused when it was claimed and now has the states %j",
  async (result, statuses) => {
    const { operationId, subscriptionId } = await store.addSubscription(statuses);
    const [id = ""] = await store.addRuns(1, { clientId: "c", operationOf: () => operationId });
    await store.models.runs.updateOne({ _id: id }, { $set: { subscription_id: subscriptionId, unsettled: true } });
    const [run] = await store.queueAt().claim([id]);
    if (run === undefined) throw new Error("nothing was claimed");
    const models = { schedule: store.models, subscriptions: store.subscriptions };
    const { tools } = toolsWith({
      resumeIfActive: async (resumedId) => void (await resumeIfActive(models, [resumedId], store.now)),
    });
    await executeRun(tools, { run, operation: operation(), subscription: "paused" });
    const stored = await store.run(id);
    expect(stored).toMatchObject({ state: "pending", attempt_count: 0 });
    expect(stored?.claimable_at?.getTime() === store.now.getTime()).toBe(result === "due");
  },
);
