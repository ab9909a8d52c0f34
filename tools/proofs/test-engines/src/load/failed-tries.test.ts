import { expect, test } from "vitest";
import { readFailures } from "./failed-tries.ts";

test("measures the outage from the fault to the last of its failures", () => {
  expect(readFailures([900, 1_200, 4_000], 1_000, [])).toEqual({ recoverySeconds: 3, laterSeconds: [] });
});

test("measures no outage when nothing failed after the fault", () => {
  expect(readFailures([500], 1_000, [])).toEqual({ recoverySeconds: 0, laterSeconds: [] });
});

test("continues an outage until five seconds pass without a failure, and counts later failures separately", () => {
  expect(readFailures([1_000, 6_000], 0, [])).toEqual({ recoverySeconds: 6, laterSeconds: [] });
  expect(readFailures([1_000, 6_001], 0, [])).toEqual({ recoverySeconds: 1, laterSeconds: [6.001] });
});

test("does not attribute failures to the engine while the process did not run or in the five seconds after", () => {
  const pauses = [{ fromMs: 20_000, toMs: 22_000 }];
  expect(readFailures([1_000, 21_000, 27_000], 0, pauses)).toEqual({ recoverySeconds: 1, laterSeconds: [] });
  expect(readFailures([1_000, 27_001], 0, pauses)).toEqual({ recoverySeconds: 1, laterSeconds: [27.001] });
});
