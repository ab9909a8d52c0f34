import { expect, test } from "vitest";
import { createBag, seededRandom } from "./random.ts";

test("draws each item once per round, in an order that the seed decides", () => {
  const take = (seed: number): number[] => {
    const next = createBag(seededRandom(seed), [1, 2, 3, 4, 5]);
    return Array.from({ length: 10 }, next);
  };
  const taken = take(42);
  expect(taken.slice(0, 5).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(taken.slice(5).sort()).toEqual([1, 2, 3, 4, 5]);
  expect(take(42)).toEqual(taken);
});
