import { expect, test } from "vitest";
import { windowName } from "./quota-threshold.ts";

test.each([
  ["minute", "2026-11-24T09:05"],
  ["day", "2026-11-24"],
  ["level", "2026-11-24"],
  ["month", "2026-11"],
] as const)("names the %s that contains a time in %s", (window, name) => {
  expect(windowName(window, new Date("2026-11-24T09:05:59.999Z"))).toBe(name);
});
