import { expect, test } from "vitest";
import { unusedPackages } from "./check-dependencies.ts";

test.each([
  ["an import", 'import { a } from "left";'],
  ["an import of a part", 'export * from "left/right";'],
  ["a name put together at run time", "await import(`left/` + name);"],
  ["an import for its types only", "type A = import('left').A;"],
])("%s is use", (_what, text) => {
  expect(unusedPackages(["left"], [text])).toEqual([]);
});

test("a package that shares its beginning, a comment and nothing at all are no use", () => {
  expect(unusedPackages(["left"], ['import "left-pad";', "// left", ""])).toEqual(["left"]);
});

test("types are used where their package is imported", () => {
  expect(unusedPackages(["@types/left", "@types/at__left"], ['import "left"; import "@at/left";'])).toEqual([]);
  expect(unusedPackages(["@types/left"], ["left"])).toEqual(["@types/left"]);
});
