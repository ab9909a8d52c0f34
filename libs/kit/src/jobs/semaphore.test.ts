import { expect, test } from "vitest";
import { createSemaphore } from "./semaphore.ts";

const calls = () =>
  createSemaphore({
    total: 8,
    by: { client: (_client, clients) => Math.floor(8 / (clients + 1)), operation: () => 2 },
  });

test("limits a key to its own permits even if permits of other keys are free", () => {
  const semaphore = calls();
  const acquire = () => semaphore.tryAcquire({ client: "a", operation: "x" });
  const release = acquire();
  expect([release !== null, acquire() !== null, acquire()]).toEqual([true, true, null]);
  expect([semaphore.freeFor("operation", "x"), semaphore.freeFor("operation", "y")]).toEqual([0, 2]);
  release?.();
  expect(acquire()).not.toBeNull();
});

test("releases a permit only once, even if release is called again", () => {
  const semaphore = calls();
  const release = semaphore.tryAcquire({ client: "a", operation: "x" });
  semaphore.tryAcquire({ client: "a", operation: "x" });
  release?.();
  release?.();
  expect([semaphore.held(), semaphore.heldBy("client", "a"), semaphore.heldBy("operation", "x")]).toEqual([1, 1, 1]);
});

test("reduces a client's share of the permits when another client holds some", () => {
  const semaphore = calls();
  const acquire = (client: string, operation: number) =>
    semaphore.tryAcquire({ client, operation: `${client}-${operation}` }) !== null;
  expect([1, 2, 3, 4, 5].map((operation) => acquire("a", operation))).toEqual([true, true, true, true, false]);
  // Each of two clients gets at most a third of eight permits; the last third is reserved for a new client.
  expect([1, 2, 3].map((operation) => acquire("b", operation))).toEqual([true, true, false]);
  expect(acquire("c", 1)).toBe(true);
});

test("grants no more than the total number of permits", () => {
  const semaphore = createSemaphore({ total: 2, by: { key: () => 9 } });
  expect(["a", "b", "c"].map((key) => semaphore.tryAcquire({ key }) !== null)).toEqual([true, true, false]);
});
