import { expect, test } from "vitest";
import { compileTypes, isTypePattern, typePatternsProblem } from "./type-pattern.ts";

test.each([
  [["*"], "order.placed", true],
  [["order.*"], "order.placed", true],
  [["order.*"], "order.item.added", true],
  [["order.*"], "order", false],
  [["order.*"], "orders.placed", false],
  [["order.*"], "platform.order.placed", false],
  [["order.placed"], "order.placed", true],
  [["order.placed"], "order.placed.late", false],
  [["invoice.paid", "order.*"], "order.placed", true],
  [["platform.*"], "platform.file_object.available", true],
])("matches the patterns %j against the type %s: %s", (patterns, type, matches) => {
  expect(compileTypes(patterns)(type)).toBe(matches);
});

test.each(["*", "order.*", "order.placed", "order.item-2.*", "a1"])("accepts the pattern %s", (text) => {
  expect(isTypePattern(text)).toBe(true);
});

test.each([
  "",
  "order*",
  "*.placed",
  "order.*.placed",
  "Order.placed",
  ".*",
  "**",
  "order placed",
  `a.${"b".repeat(119)}`,
])("refuses the pattern %j", (text) => {
  expect(isTypePattern(text)).toBe(false);
});

test("accepts 50 patterns of 120 characters, and refuses 51 patterns or 121 characters", () => {
  const longest = `${"a".repeat(118)}.*`;
  expect(typePatternsProblem(Array.from({ length: 50 }, () => longest))).toBeNull();
  expect(typePatternsProblem(Array.from({ length: 51 }, () => "order.placed"))).toBe("At most 50 types are allowed.");
  expect(typePatternsProblem([`a${longest}`])).toBe("A type or pattern has at most 120 characters.");
});
