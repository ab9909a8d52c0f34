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

/** Returns the markers of measured figures in a text that refer to no row of the bench. */
function unprovedFigures(text: string): string[] {
  return [...text.matchAll(/[(,] ?(m\b[^)]*)\)/g)]
    .map(([, mark = ""]) => mark)
    .filter((mark) => !rows.has(/^m: ([A-Z0-9]+)$/.exec(mark)?.[1] ?? ""));
}

test.each([
  ["(m)", "m"],
  ["(13,800 in B1, m)", "m"],
  ["(m: B99)", "m: B99"],
])("reports the measured figure %j, which names no row", (text, mark) => {
  expect(unprovedFigures(text)).toEqual([mark]);
});

test("finds a row for every measured figure of the scale document", () => {
  const text = readFileSync(join(repositoryRoot, "docs/scale.md"), "utf8");
  expect(unprovedFigures("8,000/s (m: B1)")).toEqual([]);
  expect(unprovedFigures(text)).toEqual([]);
});
