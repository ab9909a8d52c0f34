import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ClaimedRun, claimRuns, findClaimable } from "../src/store/claim-runs.ts";
import { createRunSettler, type Settlement } from "../src/store/settle-runs.ts";
import { callLimits } from "../src/worker/schedules/pick-runs.ts";
import { openScheduleStore, type ScheduleStore } from "./schedule-store.ts";

const leaseMs = 30_000;
let store: ScheduleStore;

beforeAll(async () => {
  store = await openScheduleStore();
});
beforeEach(() => store.clear());
afterAll(() => store.close());

const later = (ms: number): Date => new Date(store.now.getTime() + ms);
const claimAll = async (now: Date): Promise<ClaimedRun[]> =>
  claimRuns(store.models, await findClaimable(store.models, now, 1_000), now, new Date(now.getTime() + leaseMs));

describe("claims in batches", () => {
  test("gives two concurrent workers disjoint claims that cover everything", async () => {
    const ids = await store.addRuns(600, { clientId: "c", operationOf: (index) => `operation-${index % 200}` });
    const workers = [store.createClaimer(), store.createClaimer()];
    const claimed: string[][] = [[], []];
    for (let round = 0; round < 50 && claimed.flat().length < ids.length; round += 1) {
      const taken = await Promise.all(workers.map((worker) => worker.claim(64)));
      for (const [index, work] of taken.entries()) {
        claimed[index]?.push(...work.map(({ run }) => run._id));
        // Their calls are over at once.
        for (const { run } of work) {
          workers[index]?.calls.giveBack({ id: run._id, clientId: "c", operationId: run.operation_id });
        }
      }
    }
    expect(claimed.flat()).toHaveLength(600);
    expect(new Set(claimed.flat())).toEqual(new Set(ids));
    expect(claimed.every((taken) => taken.length > 0)).toBe(true);
  });

  test("avoids that two workers ask for the same runs of a backlog", async () => {
    const ids = await store.addRuns(6_000, { clientId: "c", operationOf: (index) => `operation-${index % 2_000}` });
    const workers = [store.createClaimer(), store.createClaimer()];
    let claimed = 0;
    let asked = 0;
    while (claimed < ids.length && asked < 4 * ids.length) {
      const taken = await Promise.all(workers.map((worker) => worker.claim(150)));
      asked += 300;
      for (const [index, work] of taken.entries()) {
        claimed += work.length;
        for (const { run } of work) {
          workers[index]?.calls.giveBack({ id: run._id, clientId: "c", operationId: run.operation_id });
        }
      }
    }
    expect(claimed).toBe(ids.length);
    // 1 would be never; 2, that one of the two works in vain.
    expect(asked / ids.length).toBeLessThan(1.6);
  });

  test("gives each run to one of many workers that claim the same candidates", async () => {
    await store.addRuns(100, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const candidates = await findClaimable(store.models, store.now, 100);
    const claims = await Promise.all(
      Array.from({ length: 8 }, () => claimRuns(store.models, candidates, store.now, later(leaseMs))),
    );
    const taken = claims.flat();
    expect(taken).toHaveLength(100);
    expect(new Set(taken.map(({ _id }) => _id)).size).toBe(100);
    for (const { _id, claim } of taken) expect((await store.run(_id))?.claim).toBe(claim);
  });

  test("gives the claims of a killed worker to another when their lease ends, and not before", async () => {
    await store.addRuns(50, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const dead = await claimAll(store.now);
    expect(dead).toHaveLength(50);
    expect(await claimAll(later(leaseMs - 1))).toEqual([]);
    const heirs = await claimAll(later(leaseMs));
    expect(new Set(heirs.map(({ _id }) => _id))).toEqual(new Set(dead.map(({ _id }) => _id)));
    expect(heirs.every(({ attempt_count, tries_left }) => attempt_count === 0 && tries_left === 5)).toBe(true);
  });

  test("frees the slots of runs that another worker claimed first", async () => {
    await store.addRuns(100, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const worker = store.createClaimer();
    const candidates = await findClaimable(store.models, store.now, 1_000);
    const [work] = await Promise.all([
      worker.claim(100),
      claimRuns(store.models, candidates, store.now, later(leaseMs)),
    ]);
    expect(worker.calls.free()).toBe(callLimits.total - work.length);
  });
});

describe("a backlog", () => {
  test("frees every slot after draining a backlog over several windows", async () => {
    const ids = await store.addRuns(3_000, { clientId: "c", operationOf: (index) => `operation-${index % 300}` });
    const worker = store.createClaimer();
    const claimed: string[] = [];
    for (let round = 0; round < 200 && claimed.length < ids.length; round += 1) {
      const work = await worker.claim(150);
      claimed.push(...work.map(({ run }) => run._id));
      for (const { run } of work) {
        worker.calls.giveBack({ id: run._id, clientId: "c", operationId: run.operation_id });
      }
    }
    expect(new Set(claimed)).toEqual(new Set(ids));
    expect(claimed).toHaveLength(ids.length);
    expect(worker.calls.free()).toBe(callLimits.total);
    expect(worker.calls.freeOf("operation-0")).toBe(callLimits.perOperation);
  });

  test("claims other operations and clients beside a backlog of one operation", async () => {
    await store.addRuns(2_000, { clientId: "b", operationOf: () => "flooded", waitedSeconds: 100 });
    const [sibling] = await store.addRuns(1, { clientId: "b", operationOf: () => "sibling" });
    const [before] = await store.addRuns(1, { clientId: "a", operationOf: () => "other-a" });
    const [after] = await store.addRuns(1, { clientId: "c", operationOf: () => "other-c" });
    const worker = store.createClaimer();
    const claimed: string[] = [];
    for (let round = 0; round < 500 && claimed.length < 7; round += 1) {
      claimed.push(...(await worker.claim(200)).map(({ run }) => run._id));
    }
    // Four of the flooded one, which never end, and the three.
    expect(claimed).toHaveLength(7);
    expect(claimed).toEqual(expect.arrayContaining([sibling, before, after]));
  });

  test("claims other clients beside a client at its limit", async () => {
    await store.addRuns(3_000, { clientId: "a", operationOf: (index) => `operation-${index}`, waitedSeconds: 100 });
    const worker = store.createClaimer();
    let held = 0;
    for (let round = 0; round < 20; round += 1) held += (await worker.claim(callLimits.total)).length;
    expect(held).toBe(callLimits.perClient);
    const others = await store.addRuns(3, { clientId: "b", operationOf: (index) => `other-${index}` });
    const claimed: string[] = [];
    for (let round = 0; round < 500 && claimed.length < 3; round += 1) {
      claimed.push(...(await worker.claim(200)).map(({ run }) => run._id));
    }
    expect(new Set(claimed)).toEqual(new Set(others));
  });
});

describe("settling together", () => {
  const tried = (run: ClaimedRun, atMs: number, fields: Partial<Settlement> = {}): Settlement => ({
    run,
    state: "succeeded",
    claimableAt: null,
    attempt: { at: later(atMs), status_code: 204, error: null, response: null },
    ...fields,
  });

  test("writes each run's own outcome in any grouping", async () => {
    await store.addRuns(6, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const runs = await claimAll(store.now);
    const [first, second, third, fourth, fifth, sixth] = runs as [
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
    ];
    const settle = createRunSettler(store.models);
    const refused = { at: later(5), status_code: 500, error: "status_500", response: "broken" };
    await Promise.all([
      settle(tried(first, 5)),
      settle(tried(second, 5)),
      settle(tried(third, 6)),
      settle(tried(fourth, 5, { state: "pending", claimableAt: later(5_000), attempt: refused })),
      settle(tried(fifth, 5, { state: "pending", claimableAt: later(7_000), attempt: refused })),
      settle(tried(sixth, 5, { state: "skipped", attempt: null, error: "operation_disabled" })),
    ]);
    const settled = await Promise.all(runs.map(({ _id }) => store.run(_id)));
    expect(
      settled.map((run) => [run?.state, run?.claimable_at, run?.attempts.length, run?.attempts[0]?.at, run?.error]),
    ).toEqual([
      ["succeeded", undefined, 1, later(5), undefined],
      ["succeeded", undefined, 1, later(5), undefined],
      ["succeeded", undefined, 1, later(6), undefined],
      ["pending", later(5_000), 1, later(5), undefined],
      ["pending", later(7_000), 1, later(5), undefined],
      ["skipped", undefined, 0, undefined, "operation_disabled"],
    ]);
    expect(settled.every((run) => run?.claim === undefined)).toBe(true);
    expect(settled.map((run) => [run?.attempt_count, run?.tries_made, run?.tries_left])).toEqual([
      ...Array(5).fill([1, 1, 4]),
      [0, 0, 5],
    ]);
  });

  test("fails only the outcome that cannot be written, and settles the others of the command", async () => {
    const ids = await store.addRuns(20, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const runs = await claimAll(store.now);
    const broken = ids[7] ?? "";
    await store.models.runs.collection.updateOne({ _id: broken } as never, { $set: { attempts: "no list" } });
    const settle = createRunSettler(store.models);
    // Each in a millisecond of its own: updates of their own.
    const outcomes = await Promise.allSettled(runs.map((run, index) => settle(tried(run, index))));
    const failed = runs.filter((_, index) => outcomes[index]?.status === "rejected").map(({ _id }) => _id);
    expect(failed).toEqual([broken]);
    const states = new Map((await store.runs()).map(({ _id, state }) => [_id, state]));
    expect([...states].filter(([, state]) => state === "succeeded")).toHaveLength(19);
    expect(states.get(broken)).toBe("running");
  });

  test("does not change a run whose lease was lost, nor settle a run twice", async () => {
    await store.addRuns(2, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const before = await claimAll(store.now);
    const [kept, lost] = before as [ClaimedRun, ClaimedRun];
    const settle = createRunSettler(store.models);
    await settle(tried(kept, 1));
    const [heir] = await claimAll(later(leaseMs));
    expect(heir?._id).toBe(lost._id);
    await Promise.all([settle(tried(kept, 1)), settle(tried(lost, 1))]);
    expect(await store.run(kept._id)).toMatchObject({ state: "succeeded", attempt_count: 1, tries_left: 4 });
    expect(await store.run(lost._id)).toMatchObject({ state: "running", attempt_count: 0, claim: heir?.claim });
  });
});
