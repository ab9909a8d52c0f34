import { expect, test } from "vitest";
import { testAlertRules } from "./test-alert-rules.ts";

test("returns null, not an empty list of problems, without promtool", () => {
  expect(testAlertRules(undefined, "/no/such/promtool")).toBeNull();
});
