import { untypedCollection } from "@platform/test-kit/documents";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ClaimedRun, runLeaseMs, type Settlement } from "../src/store/run-queue.ts";
import { callLimits } from "../src/worker/runs/claim-runs.ts";
import { openScheduleStore, type ScheduleStore } from "./schedule-store.ts";

let store: ScheduleStore;

beforeAll(async () => {
  store = await openScheduleStore();
});
beforeEach(() => store.clear());
afterAll(() => store.close());

const later = (ms: number): Date => new Date(store.now.getTime() + ms);
const idsOf = (runs: readonly ClaimedRun[]): string[] => runs.map(({ document }) => document._id);
/** Claims due runs for a worker whose clock is ahead by the given number of milliseconds. */
const claimAll = async (aheadMs = 0): Promise<ClaimedRun[]> => {
  const queue = store.queueAt(aheadMs);
  return queue.claim((await queue.findDue(1_000)).map(({ id }) => id));
};
type Claimer = ReturnType<ScheduleStore["createClaimer"]>;

/** Claims runs, and releases the permits of all of them as if their calls had ended. */
async function claimAndRelease(worker: Claimer, limit: number): Promise<string[]> {
  const calls = await worker.claim(limit);
  for (const { release } of calls) release();
  return idsOf(calls.map(({ run }) => run));
}

describe("claims of several runs", () => {
  test("gives each run to exactly one of two concurrent workers", async () => {
    const ids = await store.addRuns(600, { clientId: "c", operationOf: (index) => `operation-${index % 200}` });
    const workers = [store.createClaimer(), store.createClaimer()];
    const claimed: string[][] = [[], []];
    for (let round = 0; round < 50 && claimed.flat().length < ids.length; round += 1) {
      const taken = await Promise.all(workers.map((worker) => claimAndRelease(worker, 64)));
      for (const [index, runs] of taken.entries()) claimed[index]?.push(...runs);
    }
    expect(claimed.flat()).toHaveLength(600);
    expect(new Set(claimed.flat())).toEqual(new Set(ids));
    expect(claimed.every((taken) => taken.length > 0)).toBe(true);
  });

  test("offers two workers different candidates of one backlog", async () => {
    const ids = await store.addRuns(6_000, { clientId: "c", operationOf: (index) => `operation-${index % 2_000}` });
    const workers = [store.createClaimer(), store.createClaimer()];
    let claimed = 0;
    let asked = 0;
    while (claimed < ids.length && asked < 4 * ids.length) {
      const taken = await Promise.all(workers.map((worker) => claimAndRelease(worker, 150)));
      asked += 300;
      claimed += taken.flat().length;
    }
    expect(claimed).toBe(ids.length);
    // If no claim ever failed, the ratio would be 1. If one of the two workers always failed, it would be 2.
    expect(asked / ids.length).toBeLessThan(1.6);
  });

  test("assigns each run to one of many workers that claim the same candidates", async () => {
    const ids = await store.addRuns(100, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.queueAt().claim(ids)));
    const taken = claims.flat();
    expect(taken).toHaveLength(100);
    expect(new Set(idsOf(taken)).size).toBe(100);
    for (const { document } of taken) expect((await store.run(document._id))?.claim).toBe(document.claim);
  });

  test("gives the runs of a killed worker to another one once their lease expires, and not before", async () => {
    await store.addRuns(50, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const dead = await claimAll();
    expect(dead).toHaveLength(50);
    expect(await claimAll(runLeaseMs - 1)).toEqual([]);
    const heirs = await claimAll(runLeaseMs);
    expect(new Set(idsOf(heirs))).toEqual(new Set(idsOf(dead)));
    expect(heirs.every(({ document }) => document.attempt_count === 0 && document.tries_left === 5)).toBe(true);
  });

  test("releases the permits of runs that another worker claimed first", async () => {
    const ids = await store.addRuns(100, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const worker = store.createClaimer();
    const [calls] = await Promise.all([worker.claim(100), store.queueAt().claim(ids)]);
    expect(worker.permits.held()).toBe(calls.length);
  });
});

describe("a backlog of runs", () => {
  test("has released every permit after a backlog of several windows was processed", async () => {
    const ids = await store.addRuns(3_000, { clientId: "c", operationOf: (index) => `operation-${index % 300}` });
    const worker = store.createClaimer();
    const claimed: string[] = [];
    for (let round = 0; round < 200 && claimed.length < ids.length; round += 1)
      claimed.push(...(await claimAndRelease(worker, 150)));
    expect(new Set(claimed)).toEqual(new Set(ids));
    expect(claimed).toHaveLength(ids.length);
    expect(worker.permits.held()).toBe(0);
    expect(worker.permits.freeFor("operation", "operation-0")).toBe(callLimits.perOperation);
  });

  test("claims the next run of a backlog as soon as a call before it has ended", async () => {
    await store.addRuns(2_000, { clientId: "c", operationOf: () => "flooded" });
    const worker = store.createClaimer();
    const [first] = await worker.claim(200);
    expect(await worker.claim(200)).toEqual([]);
    first?.release();
    expect(await worker.claim(200)).toHaveLength(1);
  });

  test("claims runs of other operations and clients during a backlog of one operation", async () => {
    await store.addRuns(2_000, { clientId: "b", operationOf: () => "flooded", waitedSeconds: 100 });
    const [sibling] = await store.addRuns(1, { clientId: "b", operationOf: () => "sibling" });
    const [before] = await store.addRuns(1, { clientId: "a", operationOf: () => "other-a" });
    const [after] = await store.addRuns(1, { clientId: "c", operationOf: () => "other-c" });
    const worker = store.createClaimer();
    const claimed: string[] = [];
    // Seven runs can be claimed: four of the flooded operation, whose calls never end, and the three others.
    await eventually(async () => {
      claimed.push(...idsOf((await worker.claim(200)).map(({ run }) => run)));
      return claimed.length >= 7;
    });
    expect(claimed).toHaveLength(7);
    expect(claimed).toEqual(expect.arrayContaining([sibling, before, after]));
  });

  test("claims runs of other clients while one client is at its limit", async () => {
    await store.addRuns(3_000, { clientId: "a", operationOf: (index) => `operation-${index}`, waitedSeconds: 100 });
    const worker = store.createClaimer();
    let held = 0;
    for (let round = 0; round < 20; round += 1) held += (await worker.claim(callLimits.total)).length;
    expect(held).toBe(callLimits.perClient);
    const others = await store.addRuns(3, { clientId: "b", operationOf: (index) => `other-${index}` });
    const claimed: string[] = [];
    await eventually(async () => {
      claimed.push(...idsOf((await worker.claim(200)).map(({ run }) => run)));
      return claimed.length >= 3;
    });
    expect(new Set(claimed)).toEqual(new Set(others));
  });
});

describe("outcomes that are written by one command", () => {
  const tried = (atMs: number, fields: Partial<Settlement> = {}): Settlement => ({
    state: "succeeded",
    claimableAt: null,
    attempt: { at: later(atMs), status_code: 204, error: null, response: null },
    ...fields,
  });

  test("writes each run's own outcome, whichever way outcomes are grouped into commands", async () => {
    await store.addRuns(6, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const runs = await claimAll();
    const [first, second, third, fourth, fifth, sixth] = runs as [
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
      ClaimedRun,
    ];
    const { settle } = store.queueAt();
    const refused = { at: later(5), status_code: 500, error: "status_500", response: "broken" };
    await Promise.all([
      settle(first, tried(5)),
      settle(second, tried(5)),
      settle(third, tried(6)),
      settle(fourth, tried(5, { state: "pending", claimableAt: later(5_000), attempt: refused })),
      settle(fifth, tried(5, { state: "pending", claimableAt: later(7_000), attempt: refused })),
      settle(sixth, tried(5, { state: "skipped", attempt: null, error: "operation_disabled" })),
    ]);
    const settled = await Promise.all(idsOf(runs).map((id) => store.run(id)));
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
    const runs = await claimAll();
    const broken = ids[7] ?? "";
    await untypedCollection(store.models.runs).updateOne({ _id: broken }, { $set: { attempts: "no list" } });
    const { settle } = store.queueAt();
    const outcomes = await Promise.allSettled(runs.map((run, index) => settle(run, tried(index))));
    const failed = runs.filter((_, index) => outcomes[index]?.status === "rejected");
    expect(idsOf(failed)).toEqual([broken]);
    const states = new Map((await store.runs()).map(({ _id, state }) => [_id, state]));
    expect([...states].filter(([, state]) => state === "succeeded")).toHaveLength(19);
    expect(states.get(broken)).toBe("running");
  });

  test("does not change a run whose lease was lost, nor settle a run twice", async () => {
    await store.addRuns(2, { clientId: "c", operationOf: (index) => `operation-${index}` });
    const before = await claimAll();
    const [kept, lost] = before as [ClaimedRun, ClaimedRun];
    const { settle } = store.queueAt();
    await settle(kept, tried(1));
    const [heir] = await claimAll(runLeaseMs);
    expect(heir?.document._id).toBe(lost.document._id);
    await Promise.all([settle(kept, tried(1)), settle(lost, tried(1))]);
    expect(await store.run(kept.document._id)).toMatchObject({ state: "succeeded", attempt_count: 1, tries_left: 4 });
    expect(await store.run(lost.document._id)).toMatchObject({
      state: "running",
      attempt_count: 0,
      claim: heir?.document.claim,
    });
  });
});
