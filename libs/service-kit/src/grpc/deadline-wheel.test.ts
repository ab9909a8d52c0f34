import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadlineWheel } from "./deadline-wheel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function entry(deadlineMs: number) {
  const expired: number[] = [];
  return { deadlineMs, isSettled: false, expired, expire: () => void expired.push(Date.now()) };
}

test("a deadline is noticed once, not before it has passed and within 50 ms after", () => {
  const wheel = createDeadlineWheel();
  const entries = Array.from({ length: 500 }, (_, index) => entry(Date.now() + index * 7));
  for (const one of entries) wheel.add(one);
  vi.advanceTimersByTime(10_000);
  for (const { deadlineMs, expired } of entries) {
    expect(expired).toHaveLength(1);
    expect(expired[0]).toBeGreaterThanOrEqual(deadlineMs);
    expect(expired[0]).toBeLessThanOrEqual(deadlineMs + 50);
  }
});

test("what is settled is not told, and the timer stops with the last entry", () => {
  const wheel = createDeadlineWheel();
  const settled = { ...entry(Date.now() + 100), isSettled: true };
  wheel.add(settled);
  vi.advanceTimersByTime(1_000);
  expect(settled.expired).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a clock that jumps ahead by a day expires what is due at once", () => {
  const wheel = createDeadlineWheel();
  const due = entry(Date.now() + 5_000);
  wheel.add(due);
  vi.setSystemTime(Date.now() + 86_400_000);
  vi.advanceTimersByTime(20);
  expect(due.expired).toHaveLength(1);
});
