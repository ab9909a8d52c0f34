import { expect, test } from "vitest";
import { pathToGoOn } from "./sign-in-routes.ts";

test.each([
  "//evil.example",
  "/\\evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "/sign-in",
  "",
  "/a\nb",
  undefined,
])("redirects to the overview instead of %j", (to) => {
  expect(pathToGoOn(to)).toBe("/");
});

test("redirects to a page of the console with its query", () => {
  expect(pathToGoOn("/deliveries?client=1&status=failed")).toBe("/deliveries?client=1&status=failed");
});
