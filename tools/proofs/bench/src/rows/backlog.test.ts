import { expect, test } from "vitest";
import { lostOrDoubled, msUntilRecorded } from "./backlog.ts";

/** Creates a clock that advances only by pauses. */
function manualClock() {
  let nowMs = 0;
  const pause = async (ms: number): Promise<void> => {
    nowMs += ms;
  };
  return { now: () => nowMs, pause };
}

test("stops the clock when the last outcome is recorded, and not when the last call arrives", async () => {
  const { now, pause } = manualClock();
  const backlog = { hasArrived: async () => now() >= 1_000, isRecorded: async () => now() >= 1_400 };
  expect(await msUntilRecorded(backlog, { now, pause })).toBe(1_400);
});

test("does not ask the store while calls are still on their way", async () => {
  const { now, pause } = manualClock();
  const askedAtMs: number[] = [];
  const isRecorded = async (): Promise<boolean> => askedAtMs.push(now()) > 2;
  await msUntilRecorded({ hasArrived: async () => now() >= 1_000, isRecorded }, { now, pause });
  expect(askedAtMs[0]).toBe(1_000);
});

test("fails when an outcome is never recorded", async () => {
  const { now, pause } = manualClock();
  const backlog = { hasArrived: async () => true, isRecorded: async () => false };
  await expect(msUntilRecorded(backlog, { now, pause })).rejects.toThrow("not all outcomes were recorded");
});

test("fails when a call never arrives", async () => {
  const { now, pause } = manualClock();
  const backlog = { hasArrived: async () => false, isRecorded: async () => true };
  await expect(msUntilRecorded(backlog, { now, pause })).rejects.toThrow("some of the calls did not arrive");
});

test.each([
  ["nothing is wrong", { calls: 10, distinct: 10, succeeded: 10 }, "0 lost, 0 doubled, 0 not recorded", true],
  ["a call is doubled", { calls: 11, distinct: 10, succeeded: 10 }, "0 lost, 1 doubled, 0 not recorded", false],
  ["a call is lost", { calls: 9, distinct: 9, succeeded: 10 }, "1 lost, 0 doubled, 0 not recorded", false],
  ["a run never succeeded", { calls: 10, distinct: 10, succeeded: 8 }, "0 lost, 0 doubled, 2 not recorded", false],
])("checks the calls of a backlog when %s", (_, found, value, met) => {
  expect(lostOrDoubled(10, found)).toEqual({ text: "none of 10 lost or doubled", value, met });
});
