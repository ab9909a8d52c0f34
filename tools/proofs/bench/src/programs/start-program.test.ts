import { expect, test } from "vitest";
import { filledIn } from "./start-program.ts";

test("sets the names in braces and leaves nginx's own variables", () => {
  const template = "listen {PORT}; proxy_set_header Host $http_host; root {DIRECTORY}/{PORT};";
  expect(filledIn(template, { PORT: "8080", DIRECTORY: "/tmp/a" })).toBe(
    "listen 8080; proxy_set_header Host $http_host; root /tmp/a/8080;",
  );
});

test("refuses a name without a value", () => {
  expect(() => filledIn("listen {PORT};", {})).toThrow("the configuration names PORT, which has no value");
});
