import { expect, test } from "vitest";
import { createRedisClock } from "./redis-clock.ts";

const minute = Date.UTC(2026, 0, 1, 12, 30);

function clockAt(startMs = 5_000) {
  const monotonic = { ms: startMs };
  return { monotonic, clock: createRedisClock(() => monotonic.ms) };
}

test("what was never told is not known", () => {
  expect(clockAt(0).clock.read()).toBeNull();
});

test("what Redis told is carried on for a second, not longer", () => {
  const { monotonic, clock } = clockAt();
  clock.hear(minute);
  monotonic.ms += 999.9;
  expect(clock.read()).toBe(minute + 999);
  monotonic.ms += 0.1;
  expect(clock.read()).toBeNull();
  clock.hear(minute + 1_003);
  expect(clock.read()).toBe(minute + 1_003);
});

test("in the last second of a minute, in which every window may end, Redis is asked", () => {
  const { monotonic, clock } = clockAt();
  clock.hear(minute + 58_500);
  monotonic.ms += 499;
  expect(clock.read()).toBe(minute + 58_999);
  monotonic.ms += 1;
  expect(clock.read()).toBeNull();
  clock.hear(minute + 59_999);
  expect(clock.read()).toBeNull();
  clock.hear(minute + 60_000);
  expect(clock.read()).toBe(minute + 60_000);
});

test("a monotonic clock that was set back is not gone by", () => {
  const { monotonic, clock } = clockAt();
  clock.hear(minute);
  monotonic.ms -= 1;
  expect(clock.read()).toBeNull();
});
