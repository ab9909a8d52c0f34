import { expect, test } from "vitest";
import type { OverloadResult } from "./overload.ts";
import { averageLine, overloadLines } from "./report.ts";

const good: OverloadResult = {
  seconds: 60,
  isPinned: true,
  isGatewayFirst: false,
  steps: [{ callers: 64, good: 1_000 }],
  peak: 1_000,
  overload: {
    offered: 3_000,
    good: 900,
    goodP99Ms: 400,
    shed: 126_000,
    shedWithoutRetryAfter: 0,
    shedP99Ms: 20,
    shedP99BySecond: [20],
    firstMinute: { good: 900, shedP99Ms: 20 },
    failed: 0,
    failures: {},
    goodBySecond: [5_000],
    unsent: 0,
    ownDelayP99Ms: 3,
  },
  recoveryMs: 200,
  memory: { middle: 400, last: 410 },
  keyPrefix: "overload",
  acknowledged: 54_000,
};
const missed = (result: OverloadResult): string[] =>
  overloadLines(result).filter((line) => line.includes("**missed**"));

test("reports nothing missed for an overload within its limits", () => {
  expect(missed(good)).toEqual([]);
});

test.each([
  ["offered ≥ 3 × peak", { ...good, overload: { ...good.overload, offered: 2_000 } }],
  ["goodput ≥ 60 % of peak", { ...good, overload: { ...good.overload, good: 500 } }],
  [
    "goodput ≥ 60 % of peak",
    { ...good, overload: { ...good.overload, firstMinute: { ...good.overload.firstMinute, good: 500 } } },
  ],
  ["the rest shed", { ...good, overload: { ...good.overload, shedWithoutRetryAfter: 1 } }],
  ["the rest shed", { ...good, overload: { ...good.overload, failed: 1 } }],
  ["shed within 250 ms", { ...good, overload: { ...good.overload, shedP99Ms: 260 } }],
  [
    "shed within 250 ms",
    { ...good, overload: { ...good.overload, firstMinute: { ...good.overload.firstMinute, shedP99Ms: 260 } } },
  ],
  ["well again within 5 s", { ...good, recoveryMs: 6_000 }],
  ["memory flat", { ...good, memory: { middle: 400, last: 500 } }],
])("reports a missed goal: %s", (what, result) => {
  const lines = missed(result);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(what);
});

test("distinguishes a load that fell behind its pace", () => {
  const verdict = { acknowledged: 0, retried: 0, lost: [], doubled: [], refused: [], remarks: [] };
  const line = averageLine({ minutes: 10, verdicts: [{ ...verdict, kind: "events", asked: 180_000 }] });
  expect(line).toContain("300 events");
});
