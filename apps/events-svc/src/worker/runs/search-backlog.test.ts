import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OperationOfClient, RunCandidate } from "../../store/run-queue.ts";
import { createBacklogSearch } from "./search-backlog.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const operationsOf = (clientId: string, count: number): OperationOfClient[] =>
  Array.from({ length: count }, (_, index) => ({ clientId, operationId: `${index + 100}` }));

/** A queue with one due run for each operation, which counts its commands. */
function queueWith(waiting: OperationOfClient[]) {
  const byOrder = () =>
    waiting.toSorted((a, b) => a.clientId.localeCompare(b.clientId) || a.operationId.localeCompare(b.operationId));
  const runOf = ({ clientId, operationId }: OperationOfClient): RunCandidate => ({
    id: `${clientId} ${operationId}`,
    clientId,
    operationId,
  });
  return {
    nextClient: vi.fn(async (clientId: string) => byOrder().find((one) => one.clientId > clientId) ?? null),
    nextOperation: vi.fn(
      async (last: OperationOfClient) =>
        byOrder().find((one) => one.clientId === last.clientId && one.operationId > last.operationId) ?? null,
    ),
    findDueOf: vi.fn(async (operation: OperationOfClient) => [runOf(operation)]),
  };
}

const isWaiting = (): boolean => false;
const always = { isFree: () => true, freeFor: () => 1 };
const none = { isFree: () => true, freeFor: () => 0 };

test("finds the runs of all clients and operations in rounds of at most 64 commands", async () => {
  const waiting = [...operationsOf("a", 30), ...operationsOf("b", 1), ...operationsOf("c", 30)];
  const queue = queueWith(waiting);
  const search = createBacklogSearch(queue, always);
  const [first, second] = [await search(isWaiting), await search(isWaiting)];
  expect([...first, ...second]).toHaveLength(waiting.length);
  expect(new Set([...first, ...second].map(({ id }) => id)).size).toBe(waiting.length);
  // An operation costs a seek and a query.
  expect([first.length, queue.findDueOf.mock.calls.length]).toEqual([32, waiting.length]);
});

test("reads no runs of operations that have no permits, or whose runs are in the window", async () => {
  const queue = queueWith(operationsOf("a", 3));
  await createBacklogSearch(queue, none)(isWaiting);
  await createBacklogSearch(queue, always)(() => true);
  expect(queue.findDueOf).not.toHaveBeenCalled();
});

test("skips the other operations of a client that has no permits", async () => {
  const queue = queueWith([...operationsOf("a", 3), ...operationsOf("b", 1)]);
  const search = createBacklogSearch(queue, { isFree: ({ clientId }) => clientId === "b", freeFor: () => 1 });
  expect((await search(isWaiting)).map(({ id }) => id)).toEqual(["b 100"]);
});

test("seeks the operations of a client again after ten milliseconds for each of them", async () => {
  const queue = queueWith(operationsOf("a", 20));
  const search = createBacklogSearch(queue, none);
  await search(isWaiting);
  expect(queue.nextOperation).toHaveBeenCalledTimes(20);
  vi.advanceTimersByTime(199);
  await search(isWaiting);
  expect(queue.nextOperation).toHaveBeenCalledTimes(20);
  vi.advanceTimersByTime(1);
  await search(isWaiting);
  expect(queue.nextOperation).toHaveBeenCalledTimes(40);
});

test("finds the run of an operation that had none after a second at the latest", async () => {
  const waiting = operationsOf("a", 150);
  const queue = queueWith(waiting);
  let isBusy = true;
  const search = createBacklogSearch(queue, {
    isFree: () => true,
    freeFor: ({ operationId }) => (isBusy && operationId !== "new" ? 0 : 1),
  });
  for (let searches = 0; searches < 3; searches += 1) await search(isWaiting);
  waiting.push({ clientId: "a", operationId: "new" });
  vi.advanceTimersByTime(999);
  for (let searches = 0; searches < 3; searches += 1) expect(await search(isWaiting)).toEqual([]);
  vi.advanceTimersByTime(1);
  const found: RunCandidate[] = [];
  for (let searches = 0; searches < 3; searches += 1) found.push(...(await search(isWaiting)));
  expect(found.map(({ operationId }) => operationId)).toEqual(["new"]);
  // A permit of a known operation is used by the next search.
  isBusy = false;
  expect((await search(isWaiting)).length).toBeGreaterThan(0);
});

test("finds a new client, and the new first operation of a known client, by the next search", async () => {
  const waiting = operationsOf("b", 50);
  const queue = queueWith(waiting);
  const search = createBacklogSearch(queue, {
    isFree: () => true,
    freeFor: ({ operationId }) => (operationId === "new" ? 1 : 0),
  });
  await search(isWaiting);
  waiting.push({ clientId: "a", operationId: "new" }, { clientId: "b", operationId: "0" });
  expect((await search(isWaiting)).map(({ id }) => id)).toEqual(["a new"]);
  expect(queue.nextOperation).toHaveBeenCalledTimes(50 + 1 + 51);
});

test("begins a new round after the store was unavailable", async () => {
  const queue = queueWith(operationsOf("a", 3));
  const search = createBacklogSearch(queue, always);
  queue.nextOperation.mockRejectedValueOnce(new Error("the database is away"));
  await expect(search(isWaiting)).rejects.toThrow("the database is away");
  expect(await search(isWaiting)).toHaveLength(3);
});
