import { describe, expect, test } from "vitest";
import { type FormFieldName, formField, formFieldLengths } from "./form-token.ts";
import { PageProblem } from "./page-problem.ts";

describe.each(Object.entries(formFieldLengths) as [FormFieldName, number][])("the form field %s", (name, lengthMax) => {
  const read = (value: unknown): string => formField({ body: { [name]: value } }, name);

  test(`takes ${lengthMax} characters and refuses one more (an unbounded form field)`, () => {
    expect(read("x".repeat(lengthMax))).toHaveLength(lengthMax);
    expect(() => read("x".repeat(lengthMax + 1))).toThrow(PageProblem);
  });

  test("is empty when it is missing, given twice or inherited", () => {
    expect(formField({ body: undefined }, name)).toBe("");
    expect(read(["a", "b"])).toBe("");
    expect(read({ length: 1 })).toBe("");
  });
});

test("refuses an address of 16 KB, with which strangers could fill the store of sign-in counters", () => {
  const email = `${"a".repeat(16_000)}@example.com`;
  expect(() => formField({ body: { email } }, "email")).toThrow(PageProblem);
});
