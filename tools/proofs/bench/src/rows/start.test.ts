import { expect, test } from "vitest";
import { cpuSeconds, proportionalKib } from "./start.ts";

test("reads the proportional set size from smaps_rollup", () => {
  expect(
    proportionalKib("5581 7ffd ---p 00000000 00:00 0 [rollup]\nRss:   1884 kB\nPss:    321 kB\nPss_Anon: 9 kB\n"),
  ).toBe(321);
});

test("counts a process that ended meanwhile as 0", () => {
  expect(proportionalKib("")).toBe(0);
});

test("adds user and system time, which the shell prints after the warnings of the command", () => {
  expect(cpuSeconds("(node) Warning: experimental\n0.150 0.030\n")).toBeCloseTo(0.18);
});

test("gives no number when the shell printed no times", () => {
  expect(cpuSeconds("")).toBeNaN();
});
