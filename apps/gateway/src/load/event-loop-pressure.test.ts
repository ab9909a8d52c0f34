import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchEventLoop } from "./event-loop-pressure.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an event loop on time is not pressed", () => {
  const pressure = watchEventLoop({ delayMs: 250, afterMs: 1_000 });
  vi.advanceTimersByTime(10_000);
  expect(pressure.isPressed()).toBe(false);
  pressure.stop();
});

test("one late turn is a burst; lateness that stays is pressure, and it ends when the loop is on time again", () => {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const pressure = watchEventLoop({ delayMs: 250, afterMs: 1_000 });
  const turn = (ms: number): void => {
    nowMs += ms;
    vi.advanceTimersByTime(50);
  };
  turn(400);
  expect(pressure.isPressed()).toBe(false);
  for (let late = 0; late < 3; late += 1) turn(400);
  expect(pressure.isPressed()).toBe(true);
  turn(50);
  expect(pressure.isPressed()).toBe(false);
  pressure.stop();
  vi.restoreAllMocks();
});
