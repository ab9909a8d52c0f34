import { expect, test } from "vitest";
import { castProblems, conditionalFieldProblems } from "./check-casts.ts";

test("refuses a cast to never in product code without a comment that gives the reason", () => {
  const problem = expect.stringMatching(/^a\.ts:1: casts to never/);
  expect(castProblems("a.ts", "send(message as never);", true)).toEqual([problem]);
  expect(castProblems("a.ts", "// The library has no type for this form.\nsend(message as never);", true)).toEqual([]);
  expect(
    castProblems("a.ts", "/**\n * mongoose takes it for any.\n */\nexport const mixed = Mixed as never;", true),
  ).toEqual([]);
  expect(castProblems("a.ts", "/** Refuses `as never`. */\nsend(message);", true)).toEqual([]);
  expect(castProblems("a.ts", "// It was never sent.\nsend(message);", true)).toEqual([]);
});

test.each([
  ["with a comment", "// A part of it is enough.\nsend(message as never);", 2],
  ["with a comment behind it", "send(message as never); // a part", 1],
  ["on the last of several lines", "send(\n  { id: 1 } as never,\n);", 2],
])("refuses a cast to never in a test %s", (_where, text, line) => {
  expect(castProblems("a.test.ts", text, false)).toEqual([
    expect.stringMatching(`^a\\.test\\.ts:${line}: casts to never; write onlyWith`),
  ]);
});

test("permits an empty list of a type without values in a test", () => {
  expect(castProblems("a.test.ts", "const maybe = { requiredKeys: [] as never[] };", false)).toEqual([]);
});

test.each([
  "const found = { a: 1, ...(code === null ? {} : { code }) };",
  "const found = { ...(code === undefined ? {} : { status_code: code }) };",
  "const found = { ...(run.code !== null ? { code: run.code } : {}) };",
  "find(code == null ? {} : { code });",
])("refuses the conditional field in %j", (text) => {
  expect(conditionalFieldProblems("a.ts", text)).toEqual([expect.stringMatching(/^a\.ts:1: .* defined\(/)]);
});

test.each([
  ["a value that is computed", "({ ...(code === null ? {} : { code: String(code) }) });"],
  ["a condition on something else", "({ ...(isFinal ? {} : { code }) });"],
  ["a text that may be empty", '({ ...(code === "" ? {} : { code }) });'],
  ["two fields", "({ ...(at === null ? {} : { at, by }) });"],
])("permits %s", (_what, text) => {
  expect(conditionalFieldProblems("a.ts", text)).toEqual([]);
});
