import { expect, test } from "vitest";
import { isRearmed, windowName } from "./quota-threshold.ts";

test.each([
  ["minute", "2026-11-24T09:05"],
  ["day", "2026-11-24"],
  ["month", "2026-11"],
] as const)("writes the %s that contains a time as %s", (window, name) => {
  expect(windowName(window, new Date("2026-11-24T09:05:59.999Z"))).toBe(name);
});

test.each([
  [80, 750, false],
  [80, 749, true],
  [100, 950, false],
  [100, 949, true],
])(
  "reports %i %% of a gauge again only after it has fallen more than 5 %% below: %i of 1000 gives %s",
  (percent, used, isAgain) => {
    expect(isRearmed(used, 1_000, percent)).toBe(isAgain);
  },
);
