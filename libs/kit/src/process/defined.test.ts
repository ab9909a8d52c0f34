import { expect, test } from "vitest";
import { defined } from "./defined.ts";

test("removes the fields that are null or undefined, and keeps the order of the others", () => {
  expect(Object.entries(defined({ b: 1, gone: null, a: "x", unset: undefined }))).toEqual([
    ["b", 1],
    ["a", "x"],
  ]);
});

test("keeps values that are falsy but neither null nor undefined", () => {
  expect(defined({ zero: 0, no: false, text: "", nan: Number.NaN })).toEqual({
    zero: 0,
    no: false,
    text: "",
    nan: Number.NaN,
  });
});

test("gives a field that may be absent an optional type, and the others a required one", () => {
  const maybe = null as number | null;
  const fields: { readonly always: string; readonly maybe?: number } = defined({ always: "a", maybe });
  expect(fields).toEqual({ always: "a" });
});
