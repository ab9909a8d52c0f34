import type { Plot } from "./render-plot.ts";

/** Units of one quantity, the smallest first, each with its size relative to the first. */
type Units = readonly (readonly [unit: string, size: number])[];

const times: Units = [
  ["µs", 1],
  ["ms", 1e3],
  ["s", 1e6],
  ["min", 60e6],
  ["h", 3_600e6],
  ["d", 86_400e6],
];
const sizes: Units = [
  ["B", 1],
  ["kB", 1e3],
  ["MB", 1e6],
  ["GB", 1e9],
  ["TB", 1e12],
];

const familyOf = (unit: string): readonly [units: Units, size: number] | null => {
  if (unit === "bytes") return [sizes, 1];
  const time = times.find(([name]) => name === unit);
  return time === undefined ? null : [times, time[1]];
};

/**
 * Converts a plot to the largest unit in which its highest value is at least 1, so that an axis shows "2 s" instead of
 * "2,000 ms" or "300m s". Units of time are those of the SI or accepted for use with it, and multiples of the byte are
 * powers of 1,000. Other units do not change.
 */
export function inReadableUnit(plot: Plot): Plot {
  const family = familyOf(plot.unit);
  if (family === null) return plot;
  const [units, size] = family;
  const highest = Math.max(...plot.series.flatMap(({ points }) => points.map(({ y }) => y * size)));
  const fitting = units.findLast(([, each]) => each <= highest) ?? units[0];
  if (fitting === undefined) return plot;
  const [unit, unitSize] = fitting;
  if (unitSize === size) return { ...plot, unit };
  const series = plot.series.map(({ name, points }) => ({
    name,
    points: points.map(({ x, y }) => ({ x, y: (y * size) / unitSize })),
  }));
  return { ...plot, unit, series };
}
