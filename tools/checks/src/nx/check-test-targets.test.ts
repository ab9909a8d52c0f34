import { expect, test } from "vitest";
import { checkTestTargets } from "./check-test-targets.ts";

const having = (target: string): string[] =>
  target === "unit" ? ["apps/a-svc"] : target === "service" ? ["libs/b"] : [];

test("accepts projects whose tests a target runs", () => {
  expect(checkTestTargets(["apps/a-svc/src/x.test.ts", "libs/b/tests/y.test.ts"], having)).toEqual([]);
});

test("names a project whose unit tests no target runs", () => {
  expect(checkTestTargets(["libs/b/src/x.test.ts"], having)).toEqual([
    "libs/b: its package.json has no target unit for its tests",
  ]);
});

test("names a project whose service tests no target runs", () => {
  expect(checkTestTargets(["apps/a-svc/tests/x.test.ts"], having)).toEqual([
    "apps/a-svc: its package.json has no target service, faults or night for its tests",
  ]);
});

test("names a project below a folder of tools whose tests no target runs", () => {
  expect(checkTestTargets(["tools/proofs/c/src/x.test.ts", "tools/local/d/tests/y.test.ts"], having)).toEqual([
    "tools/proofs/c: its package.json has no target unit for its tests",
    "tools/local/d: its package.json has no target service, faults or night for its tests",
  ]);
});
