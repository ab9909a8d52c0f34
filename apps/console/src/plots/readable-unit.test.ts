import { expect, it } from "vitest";
import { inReadableUnit } from "./readable-unit.ts";
import type { Plot } from "./render-plot.ts";

const plot = (unit: string, ...values: number[]): Plot => ({
  title: "Sample",
  unit,
  xTitle: "day (UTC)",
  kind: "line",
  series: [{ name: "p50", points: values.map((y, day) => ({ x: new Date(Date.UTC(2027, 0, 1 + day)), y })) }],
});
const shown = (given: Plot) => {
  const { unit, series } = inReadableUnit(given);
  return [unit, ...(series[0]?.points ?? []).map(({ y }) => y)];
};

it.each([
  ["s", [0.3, 0.15], ["ms", 300, 150]],
  ["s", [59, 6], ["s", 59, 6]],
  ["s", [60, 6], ["min", 1, 0.1]],
  ["ms", [999, 0], ["ms", 999, 0]],
  ["ms", [1_000, 500], ["s", 1, 0.5]],
  ["ms", [0.5], ["µs", 500]],
  ["s", [172_800], ["d", 2]],
  ["bytes", [999], ["B", 999]],
  ["bytes", [5_000_000, 0], ["MB", 5, 0]],
  ["requests", [5_000_000], ["requests", 5_000_000]],
] as const)("shows %s of %j as %j", (unit, values, expected) => {
  expect(shown(plot(unit, ...values))).toEqual(expected);
});

it("keeps zero in the smallest unit of its quantity", () => {
  expect(shown(plot("s", 0))).toEqual(["µs", 0]);
});
