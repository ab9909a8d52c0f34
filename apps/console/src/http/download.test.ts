import { stringify } from "csv-stringify/sync";
import { expect, test } from "vitest";
import { csvOptions } from "./download.ts";

/** Returns the CSV of one record, without the byte-order mark and the line break. */
const lineOf = (...cells: readonly (string | number | null)[]): string =>
  stringify([cells], csvOptions as Parameters<typeof stringify>[1]).slice(1, -2);

test.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1+1", "'\t=1+1"],
  ["\r=1+1", '"\'\r=1+1"'],
  ["\n=1+1", '"\'\n=1+1"'],
  [" =1+1", "' =1+1"],
  ["\u00a0=1+1", "'\u00a0=1+1"],
  ["\u3000=1+1", "'\u3000=1+1"],
  ["\ufeff=1+1", "'\ufeff=1+1"],
  ["＝1+1", "'＝1+1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ['=HYPERLINK("https://evil.example")', `"'=HYPERLINK(""https://evil.example"")"`],
])("puts an apostrophe before text that a spreadsheet would treat as a formula: %j", (text, cell) => {
  expect(lineOf(text)).toBe(cell);
});

test("starts with the UTF-8 byte-order mark, so that 日本語 is shown correctly after a double click", () => {
  const bytes = Buffer.from(stringify([["日本語の店"]], csvOptions as Parameters<typeof stringify>[1]));
  expect(bytes.subarray(0, 3).toString("hex")).toBe("efbbbf");
  expect(bytes.subarray(3).toString()).toBe("日本語の店\r\n");
});

test("quotes commas, quotes and line breaks, and leaves numbers as they are", () => {
  expect(lineOf('a "b", c', "a\nb", -5, null, "")).toBe('"a ""b"", c","a\nb",-5,,');
});
