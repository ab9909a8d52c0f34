import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchStandstill } from "./standstill.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("treats calls read within a second after a standstill as old as the standstill, and all others as new", () => {
  let nowMs = 1_000;
  const standstill = watchStandstill(() => nowMs);
  const pass = (ms: number): void => {
    nowMs += ms;
    vi.advanceTimersByTime(100);
  };
  for (let index = 0; index < 5; index += 1) pass(100);
  expect(standstill.possibleAgeMs()).toBe(0);
  pass(300);
  expect(standstill.possibleAgeMs()).toBe(0);
  pass(6_100);
  expect(standstill.possibleAgeMs()).toBe(6_000);
  for (let index = 0; index < 9; index += 1) pass(100);
  expect(standstill.possibleAgeMs()).toBe(6_000);
  pass(100);
  expect(standstill.possibleAgeMs()).toBe(0);
  standstill.stop();
});

test("detects a standstill also for calls read before the next timer", () => {
  let nowMs = 0;
  const standstill = watchStandstill(() => nowMs);
  nowMs = 2_100;
  expect(standstill.possibleAgeMs()).toBe(2_000);
  standstill.stop();
});
