import { expect, test } from "vitest";
import { JsonText, writeJson } from "./json-text.ts";

test("writes the text of a JsonText in its place", () => {
  const value = { a: 1, data: new JsonText('{"n":1e400,"__proto__":[]}'), absent: undefined, z: "\u2028" };
  expect(writeJson(value)).toBe('{"a":1,"data":{"n":1e400,"__proto__":[]},"z":"\u2028"}');
});

test.each([
  { name: "an object", value: { a: [1, { b: null }], at: new Date(0), absent: undefined } },
  { name: "an array", value: [1, "a"] },
  { name: "null", value: null },
  { name: "a text", value: "a" },
])("writes $name like JSON.stringify", ({ value }) => {
  expect(writeJson(value)).toBe(JSON.stringify(value));
});
