import { expect, test } from "vitest";
import { takeRoundRobin } from "./fair-queue.ts";

const waiting = (queue: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${queue}${at}`);
const queueOf = (item: string): string => item.charAt(0);
const acquire = () => () => {};
const itemsOf = (taken: readonly { item: string }[]): string[] => taken.map(({ item }) => item);

test("takes items round robin from the queues, regardless of their lengths", () => {
  const items = [...waiting("a", 100), ...waiting("b", 1), ...waiting("c", 2)];
  expect(itemsOf(takeRoundRobin(items, { queueOf, acquire, most: 6 }))).toEqual(["a0", "b0", "c0", "a1", "c1", "a2"]);
});

test("skips an item that gets no permit, and continues with the next item of its queue", () => {
  const some = (item: string) => (item === "a0" || item.startsWith("b") ? null : () => {});
  const items = [...waiting("a", 3), ...waiting("b", 3)];
  expect(itemsOf(takeRoundRobin(items, { queueOf, acquire: some, most: 9 }))).toEqual(["a1", "a2"]);
});

test("starts each pass with a different queue", () => {
  const items = [...waiting("a", 2), ...waiting("b", 2), ...waiting("c", 2)];
  const firsts = [0, 1, 2, 3].map((first) => itemsOf(takeRoundRobin(items, { queueOf, acquire, most: 1, first })));
  expect(firsts.flat()).toEqual(["a0", "b0", "c0", "a0"]);
});

test("returns no items when there are no queues", () => {
  expect(takeRoundRobin([], { queueOf, acquire, most: 3, first: 7 })).toEqual([]);
});
