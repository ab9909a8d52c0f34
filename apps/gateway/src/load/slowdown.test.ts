import { expect, test } from "vitest";
import { createSlowdown } from "./slowdown.ts";

const observe = (slowdown: ReturnType<typeof createSlowdown>, operation: string, ...times: number[]): void => {
  for (const ms of times) slowdown.observe(operation, ms);
};

test("the first requests are as quick as is known, and nothing done is no slowness", () => {
  const slowdown = createSlowdown();
  expect(slowdown.judge()).toBe(1);
  observe(slowdown, "a", 5, 15);
  expect(slowdown.judge()).toBe(1);
  expect(slowdown.judge()).toBe(1);
});

test("each operation is compared with its own best only", () => {
  const slowdown = createSlowdown();
  observe(slowdown, "quick", 2);
  observe(slowdown, "slow", 500);
  slowdown.judge();
  observe(slowdown, "slow", 500, 500);
  expect(slowdown.judge()).toBeCloseTo(1, 1);
  observe(slowdown, "quick", 8);
  expect(slowdown.judge()).toBeCloseTo(4, 1);
});

test("what stays slow is normal after a while", () => {
  const slowdown = createSlowdown();
  observe(slowdown, "a", 5);
  slowdown.judge();
  for (let tick = 0; tick < 500; tick += 1) {
    observe(slowdown, "a", 20);
    slowdown.judge();
  }
  observe(slowdown, "a", 20);
  expect(slowdown.judge()).toBe(1);
});
