import { expect, test } from "vitest";
import { replayMs } from "./idempotency-records.ts";
import { createReplayRetention, pressedReplayMs } from "./replay-retention.ts";

const times = (count: number, work: () => number): number[] => Array.from({ length: count }, work);

test("a source has its share kept for a day, what comes beyond for a minute; another source is not touched by it", () => {
  const retention = createReplayRetention({ perSource: 3 });
  const day = [replayMs, replayMs, replayMs];
  expect(times(5, () => retention.forSource("198.51.100.1"))).toEqual([...day, pressedReplayMs, pressedReplayMs]);
  expect(times(3, () => retention.forSource("198.51.100.2"))).toEqual(day);
});

test("a host with a whole network of addresses is one source", () => {
  const retention = createReplayRetention({ perSource: 1 });
  expect(retention.forSource("2001:db8::1")).toBe(replayMs);
  expect(retention.forSource("2001:db8::2")).toBe(pressedReplayMs);
});

test("many sources together have no more kept for a day than all of them may", () => {
  const retention = createReplayRetention({ perSource: 3, inAll: 10 });
  const kept = Array.from({ length: 20 }, (_, host) => retention.forSource(`198.51.100.${host}`));
  expect(kept.filter((ms) => ms === replayMs)).toHaveLength(10);
});

test("a new day begins with new shares", () => {
  let nowMs = 0;
  const retention = createReplayRetention({ perSource: 1, now: () => nowMs });
  expect(times(2, () => retention.forSource("198.51.100.1"))).toEqual([replayMs, pressedReplayMs]);
  nowMs += replayMs;
  expect(times(2, () => retention.forSource("198.51.100.1"))).toEqual([replayMs, pressedReplayMs]);
});
