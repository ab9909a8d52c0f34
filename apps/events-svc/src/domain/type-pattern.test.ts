import { expect, test } from "vitest";
import { isTypePattern, matchesType } from "./type-pattern.ts";

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
])("matches %j against %s: %s", (patterns, type, matches) => {
  expect(matchesType(patterns, type)).toBe(matches);
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
