import { expect, test } from "vitest";
import { csvCell } from "./download.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\tx", "'\tx"],
])("puts an apostrophe before text that a spreadsheet takes for a formula: %j", (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test("quotes commas, quotes and line breaks, and leaves numbers as they are", () => {
  expect([csvCell('a "b", c'), csvCell("a\nb"), csvCell(-5), csvCell(null)]).toEqual([
    '"a ""b"", c"',
    '"a\nb"',
    "-5",
    "",
  ]);
});
