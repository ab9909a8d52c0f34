import { expect, test } from "vitest";
import { shownData, shownDataMax } from "./event-data.ts";

test("indents data and keeps the digits of its numbers", () => {
  expect(shownData('{"total":1e400,"id":9007199254740993}')).toBe('{\n  "total": 1e400,\n  "id": 9007199254740993\n}');
});

test("shows all of the data at the limit, and only the beginning if it is one character longer (CWE-400)", () => {
  const dataOf = (characters: number): string => `{"a":"${"x".repeat(characters - 8)}"}`;
  expect(shownData(dataOf(shownDataMax))).toBe(`{\n  "a": "${"x".repeat(shownDataMax - 8)}"\n}`);
  const long = dataOf(shownDataMax + 1);
  const size = `… (the first ${shownDataMax} of ${shownDataMax + 1} characters)`;
  expect(shownData(long)).toBe(`${long.slice(0, shownDataMax)}${size}`);
});

test("shows text that is not JSON unchanged", () => {
  expect(shownData("{")).toBe("{");
});
