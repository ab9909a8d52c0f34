import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  clockNowMs,
  clockText,
  deadlineSignal,
  leftOfExpiry,
  ServiceClock,
  steadyNowMs,
  watchStandstill,
} from "./deadline.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

test("assumes that calls read within a second after a stall have waited for its duration, and that all others are new", () => {
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

test("detects a stall of the process even for calls that are read before the next timer", () => {
  let nowMs = 0;
  const standstill = watchStandstill(() => nowMs);
  nowMs = 2_100;
  expect(standstill.possibleAgeMs()).toBe(2_000);
  standstill.stop();
});

const expectNear = (actual: number | null, expected: number): void => {
  expect(actual).not.toBeNull();
  expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThan(20);
};

test("returns the remaining time of a deadline, and never more than that", () => {
  const clock = ServiceClock.from(clockText());
  const leftMs = leftOfExpiry(clock?.expiryText(Date.now() + 5_000)) ?? Number.NaN;
  expectNear(leftMs, 5_000);
  // Epoch milliseconds are integers, so the remaining time may be rounded up by one.
  expect(leftMs).toBeLessThanOrEqual(5_001);
});

test("uses the clock reading with the shortest travel time", () => {
  const [id] = clockText().split(" ");
  const clock = ServiceClock.from(`${id} ${clockNowMs() - 300}`);
  expectNear(leftOfExpiry(clock?.expiryText(Date.now() + 5_000)), 4_700);
  clock?.heard(clockNowMs());
  clock?.heard(clockNowMs() - 4_000);
  expectNear(leftOfExpiry(clock?.expiryText(Date.now() + 5_000)), 5_000);
});

test.each([undefined, "", "other 12", "nonsense"])(
  "ignores a deadline that does not refer to this process's clock: %j",
  (text) => {
    expect(leftOfExpiry(text)).toBeNull();
  },
);

test("returns no clock for a service that does not send one", () => {
  expect(ServiceClock.from(undefined)).toBeNull();
  expect(ServiceClock.from("id")).toBeNull();
});

test("creates a signal for a deadline that is a fraction of a millisecond away", () => {
  expect(deadlineSignal(steadyNowMs() + 10_000.4).aborted).toBe(false);
  expect(deadlineSignal(Number.POSITIVE_INFINITY).aborted).toBe(false);
});
