import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type FormFieldName, formField, inputLengths, pathParameter } from "./inputs.ts";
import { PageProblem } from "./page-problem.ts";

describe.each(Object.entries(inputLengths.field) as [FormFieldName, number][])(
  "the form field %s",
  (name, lengthMax) => {
    const read = (value: unknown): string => formField({ body: { [name]: value } }, name);

    test(`accepts ${lengthMax} characters and rejects one more (an unbounded form field)`, () => {
      expect(read("x".repeat(lengthMax))).toHaveLength(lengthMax);
      expect(() => read("x".repeat(lengthMax + 1))).toThrow(PageProblem);
    });

    test("reads an empty value when a field is missing, given twice or inherited", () => {
      expect(formField({ body: undefined }, name)).toBe("");
      expect(read(["a", "b"])).toBe("");
      expect(read({ length: 1 })).toBe("");
    });
  },
);

test.each(Object.entries(inputLengths.path))(
  "reads the path parameter %s as empty beyond %d characters",
  (name, lengthMax) => {
    const read = (value: string) =>
      pathParameter({ params: { [name]: value } }, name as keyof typeof inputLengths.path);
    expect(read("x".repeat(lengthMax))).toHaveLength(lengthMax);
    expect(read("x".repeat(lengthMax + 1))).toBe("");
  },
);

test("finds no other module of the pages that reads a body, a query or a parameter (an unbounded input)", () => {
  const folder = new URL("./", import.meta.url);
  const readers = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) =>
      path.endsWith(".ts") &&
      !path.endsWith(".test.ts") &&
      /request\.(?:body|query|params|url|originalUrl)\b|\breq\b/.test(readFileSync(new URL(path, folder), "utf8")),
  );
  expect(readers).toEqual(["inputs.ts"]);
});

test("refuses an address of 16 KB, with which strangers could fill the store of sign-in counters", () => {
  const email = `${"a".repeat(16_000)}@example.com`;
  expect(() => formField({ body: { email } }, "email")).toThrow(PageProblem);
});
