import { expect, test } from "vitest";
import { createRetryBudget } from "./retry-budget.ts";

const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);

test("allows a burst of 100 retries, and not one more", () => {
  const budget = createRetryBudget();
  expect(times(100, budget.take)).not.toContain(false);
  expect(budget.take()).toBe(false);
});

test("allows one retry for ten further calls", () => {
  const budget = createRetryBudget();
  times(100, budget.take);
  times(9, budget.call);
  expect(budget.take()).toBe(false);
  times(2, budget.call);
  expect([budget.take(), budget.take()]).toEqual([true, false]);
});

test("accumulates at most one burst of retries", () => {
  const budget = createRetryBudget();
  times(10_000, budget.call);
  expect(times(101, budget.take).filter((taken) => taken)).toHaveLength(100);
});
