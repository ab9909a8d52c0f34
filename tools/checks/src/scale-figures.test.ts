import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@platform/stack/stack";
import { expect, test } from "vitest";

const rowsDirectory = join(repositoryRoot, "tools/proofs/bench/src/rows");
const rows = new Set(
  readdirSync(rowsDirectory).flatMap((file) =>
    [...readFileSync(join(rowsDirectory, file), "utf8").matchAll(/^ {2}id: "([A-Z0-9]+)",$/gm)].map(([, id]) => id),
  ),
);

const reportsDirectory = join(repositoryRoot, "tools/proofs/bench/reports");
const reports = readdirSync(reportsDirectory)
  .filter((file) => file.endsWith(".md"))
  .map((file) => readFileSync(join(reportsDirectory, file), "utf8"));

const numberOf = (text: string): number => Number(text.replaceAll(",", ""));
const numbers = /\d[\d,]*(?:\.\d+)?/g;

/** Returns all numbers that the kept reports state about a row, from the newest day on which it was measured. */
function measuredFigures(row: string, texts: readonly string[]): number[] {
  const found = texts.flatMap((text) => {
    const parts = text.split(/^(?=#{2,3} )/m).filter((part) => new RegExp(`^#{2,3} ${row} `).test(part));
    const [day = ""] = /\b\d{4}-\d{2}-\d{2}\b/.exec(text) ?? [];
    return parts.map((part) => ({ day, part }));
  });
  const newest = found
    .map(({ day }) => day)
    .toSorted()
    .at(-1);
  return found.filter(({ day }) => day === newest).flatMap(({ part }) => (part.match(numbers) ?? []).map(numberOf));
}

/**
 * Returns the markers of measured figures in a text that refer to no row of the bench, or to a row whose newest report lacks the figure before the marker. The
 * text may round a figure.
 */
function unprovedFigures(text: string, texts: readonly string[] = reports): string[] {
  return [...text.matchAll(/[(,] ?(m\b[^)]*)\)/g)].flatMap(({ 1: mark = "", index }) => {
    const [, row = ""] = /^m: ([A-Z0-9]+)$/.exec(mark) ?? [];
    if (!rows.has(row)) return [mark];
    const figure = (text.slice(0, index).match(numbers) ?? []).at(-1) ?? "";
    const [, decimals = ""] = figure.split(".");
    const isFigure = (measured: number): boolean =>
      measured.toFixed(decimals.length) === numberOf(figure).toFixed(decimals.length);
    return measuredFigures(row, texts).some(isFigure) ? [] : [`${figure} (${mark})`];
  });
}

test.each([
  ["(m)", "m"],
  ["(13,800 in B1, m)", "m"],
  ["(m: B99)", "m: B99"],
])("reports the measured figure %j, which names no row", (text, mark) => {
  expect(unprovedFigures(text)).toEqual([mark]);
});

test("reports a figure that the newest report of its row does not contain", () => {
  const older = "One run, 2026-11-24.\n## B1 a row\n| (1) gateway | 13,800 |\n";
  const newer = "One run, 2026-11-25.\n## B1 a row\n| (1) gateway | 5,496.4 |\n## B3 a row\n| (1) call | 900 |\n";
  const unproved = (text: string): string[] => unprovedFigures(text, [older, newer]);
  expect(unproved("8,000/s (a), of 13,800 (m: B1)")).toEqual(["13,800 (m: B1)"]);
  expect(unproved("a gateway passes 900 requests/s (m: B1)")).toEqual(["900 (m: B1)"]);
  expect(unproved("a gateway passes 5,496 requests/s (m: B1)")).toEqual([]);
  expect(unprovedFigures("5,496 (m: B1)", [])).toEqual(["5,496 (m: B1)"]);
});

test("finds a report of every measured figure of the scale document", () => {
  const text = readFileSync(join(repositoryRoot, "docs/scale.md"), "utf8");
  expect(unprovedFigures(text)).toEqual([]);
});
