import { afterEach, expect, test, vi } from "vitest";
import type { RunCandidate, RunQueue } from "../../store/run-queue.ts";
import { type ClaimedCall, callLimits, createCallPermits, createRunClaimer } from "./claim-runs.ts";

afterEach(() => {
  vi.useRealTimers();
});

const limits = { ...callLimits, total: 64, perOperation: 2, perSubscribed: 5, perClient: 32 };

/** Permits without runs that are claimed ahead. */
const permitsForCalls = () => createCallPermits(limits, () => 0);

const sources: Parameters<typeof createRunClaimer>[2] = {
  findCallable: async () => new Map(),
  isFull: () => false,
  statusesOf: async () => new Map(),
};

/** Runs of one operation, and a queue in which every claim succeeds. */
function queueOf(waiting: readonly RunCandidate[]) {
  const documents = new Map(
    waiting.map(({ id, operationId, isOfEvent }) => [
      id,
      { _id: id, operation_id: operationId, ...(isOfEvent ? { subscription_id: "subscription" } : {}) },
    ]),
  );
  return {
    findDue: async () => waiting,
    claim: async (ids: readonly string[]) => ids.map((id) => ({ document: documents.get(id) })),
  } as unknown as RunQueue;
}

const runs = (count: number, isOfEvent: boolean): RunCandidate[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${isOfEvent ? "event" : "due"}-${index}`,
    clientId: "client",
    operationId: "operation",
    isOfEvent,
  }));

test("claims more runs that deliver events than runs of a schedule for one operation, with separate permits", async () => {
  const claim = createRunClaimer(queueOf([...runs(20, true), ...runs(20, false)]), permitsForCalls(), {
    ...sources,
    statusesOf: async () => new Map([["subscription", "paused"]]),
  });
  const calls = await claim(50);
  const ofEvents = calls.filter(({ run }) => run.document.subscription_id !== undefined);
  expect([ofEvents.length, calls.length - ofEvents.length]).toEqual([limits.perSubscribed, limits.perOperation]);
  expect(new Set(calls.map(({ subscription }) => subscription))).toEqual(new Set(["paused", undefined]));
  expect(ofEvents.every(({ subscription }) => subscription === "paused")).toBe(true);
});

test("claims further runs of a target that responds quickly", async () => {
  const permits = createCallPermits(limits, (key) => (key === "operation" ? 3 : 0));
  const claim = createRunClaimer(queueOf([...runs(20, true), ...runs(20, false)]), permits, sources);
  const calls = await claim(50);
  const ofEvents = calls.filter(({ run }) => run.document.subscription_id !== undefined);
  expect([ofEvents.length, calls.length - ofEvents.length]).toEqual([limits.perSubscribed, limits.perOperation + 3]);
});

test("releases the permits when the subscriptions cannot be read", async () => {
  const permits = permitsForCalls();
  const claim = createRunClaimer(queueOf(runs(20, true)), permits, {
    ...sources,
    statusesOf: async () => {
      throw new Error("the database is away");
    },
  });
  await expect(claim(50)).rejects.toThrow("the database is away");
  expect(permits.held()).toBe(0);
});

test("skips the runs of an operation that has used up its rate, and claims those of other operations", async () => {
  const others = runs(3, false).map((run) => ({ ...run, id: `other-${run.id}`, operationId: "other" }));
  const claim = createRunClaimer(queueOf([...runs(20, false), ...others]), permitsForCalls(), {
    ...sources,
    isFull: (operationId) => operationId === "operation",
  });
  expect((await claim(50)).map(({ run }) => run.document.operation_id)).toEqual(["other", "other"]);
});

test("reads runs without permits again after one millisecond for each run, or once a permit is released", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const queue = queueOf(runs(60, false));
  const findDue = vi.spyOn(queue, "findDue");
  const claim = createRunClaimer(queue, permitsForCalls(), sources);
  const [first] = await claim(50);
  await claim(50);
  vi.advanceTimersByTime(59);
  expect([await claim(50), findDue.mock.calls.length]).toEqual([[], 2]);
  vi.advanceTimersByTime(1);
  expect([await claim(50), findDue.mock.calls.length]).toEqual([[], 3]);
  first?.release();
  expect([(await claim(50)).length, findDue.mock.calls.length]).toEqual([1, 4]);
});

test("finds runs beyond a full window of a target that hangs, and reads the window twice a second only", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const [beyond, later] = ["beyond", "later"].map((id) => ({ id, clientId: "client", operationId: `z-${id}` }));
  const due = [beyond as RunCandidate];
  const queue: RunQueue = {
    ...queueOf([...runs(500, false), ...due, later as RunCandidate]),
    findDue: vi.fn(async () => runs(500, false)),
    nextOperation: async ({ operationId }) => due.find((run) => run.operationId > operationId) ?? null,
    nextClient: async (clientId) => due.find((run) => run.clientId > clientId) ?? null,
    findDueOf: async ({ operationId }) => due.splice(0).filter((run) => run.operationId === operationId),
  };
  const claim = createRunClaimer(queue, permitsForCalls(), sources);
  const idsOf = async () => (await claim(50)).map(({ run }) => run.document._id);
  expect(await idsOf()).toHaveLength(limits.perOperation + 1);
  expect([await idsOf(), vi.mocked(queue.findDue).mock.calls.length]).toEqual([[], 2]);
  due.push(later as RunCandidate);
  vi.advanceTimersByTime(99);
  expect([await idsOf(), vi.mocked(queue.findDue).mock.calls.length]).toEqual([[], 2]);
  vi.advanceTimersByTime(1);
  expect([await idsOf(), vi.mocked(queue.findDue).mock.calls.length]).toEqual([["later"], 2]);
  vi.advanceTimersByTime(399);
  expect([await idsOf(), vi.mocked(queue.findDue).mock.calls.length]).toEqual([[], 2]);
  vi.advanceTimersByTime(1);
  expect([await idsOf(), vi.mocked(queue.findDue).mock.calls.length]).toEqual([[], 3]);
});

test("reads the window again immediately if a permit is released during a search beyond it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const calls: ClaimedCall[] = [];
  const queue: RunQueue = {
    ...queueOf(runs(500, false)),
    findDue: vi.fn(async () => runs(500, false)),
    nextOperation: async () => null,
    nextClient: async () => {
      calls.shift()?.release();
      return null;
    },
  };
  const claim = createRunClaimer(queue, permitsForCalls(), sources);
  calls.push(...(await claim(limits.perOperation)));
  expect(calls).toHaveLength(limits.perOperation);
  vi.advanceTimersByTime(100);
  expect(await claim(50)).toEqual([]);
  expect(await claim(50)).toHaveLength(1);
});
