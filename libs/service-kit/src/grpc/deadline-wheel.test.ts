import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadlineWheel } from "./deadline-wheel.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function entry(deadlineMs: number) {
  const expired: number[] = [];
  return { deadlineMs, previous: null, next: null, expired, expire: () => void expired.push(Date.now()) };
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

test("what is removed is let go of at once and not told, its neighbours are, and the timer stops with the last entry", () => {
  const wheel = createDeadlineWheel();
  const entries = Array.from({ length: 9 }, () => entry(Date.now() + 100));
  for (const one of entries) wheel.add(one);
  const removed = entries.filter((_, index) => index % 3 === 0);
  for (const one of removed) wheel.remove(one);
  expect(wheel.size()).toBe(6);
  for (const one of removed) expect([one.previous, one.next]).toEqual([null, null]);
  vi.advanceTimersByTime(1_000);
  expect(entries.map(({ expired }) => expired.length)).toEqual([0, 1, 1, 0, 1, 1, 0, 1, 1]);
  expect(wheel.size()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("removing twice, or what has expired, changes nothing", () => {
  const wheel = createDeadlineWheel();
  const [twice, late, other] = [entry(Date.now() + 100), entry(Date.now() + 10), entry(Date.now() + 100)];
  for (const one of [twice, late, other]) wheel.add(one);
  wheel.remove(twice);
  wheel.remove(twice);
  vi.advanceTimersByTime(50);
  wheel.remove(late);
  expect(wheel.size()).toBe(1);
  vi.advanceTimersByTime(1_000);
  expect([twice, late, other].map(({ expired }) => expired.length)).toEqual([0, 1, 1]);
});

test("an entry that removes and adds others while it expires disturbs none of them", () => {
  const wheel = createDeadlineWheel();
  const neighbour = entry(Date.now() + 10);
  const added = entry(Date.now() + 200);
  const first = {
    ...entry(Date.now() + 10),
    expire: () => {
      wheel.remove(neighbour);
      wheel.add(added);
    },
  };
  wheel.add(first);
  wheel.add(neighbour);
  vi.advanceTimersByTime(1_000);
  expect([neighbour.expired.length, added.expired.length]).toEqual([0, 1]);
});

test("a clock that jumps ahead by a day expires what is due at once", () => {
  const wheel = createDeadlineWheel();
  const due = entry(Date.now() + 5_000);
  wheel.add(due);
  vi.setSystemTime(Date.now() + 86_400_000);
  vi.advanceTimersByTime(20);
  expect(due.expired).toHaveLength(1);
});
