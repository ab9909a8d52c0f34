import { describe, expect, it } from "vitest";
import { compileFilter, filterProblem } from "./event-filter.ts";

const matches = (expression: string, data: unknown): boolean => {
  expect(filterProblem(expression)).toBeNull();
  return compileFilter(expression)({ type: "order.placed", stream_id: null, schema_version: 1, data });
};

describe("a filter", () => {
  it.each([
    ['data.amount >= 100 && data.country == "JP"', { amount: 100, country: "JP" }, true],
    ['data.amount >= 100 && data.country == "JP"', { amount: 99.5, country: "JP" }, false],
    ['event.type == "order.placed" && event.schema_version == 1', {}, true],
    ['"gift" in data.tags', { tags: ["gift"] }, true],
    ["has(data.coupon)", {}, false],
    ['data["a b"].startsWith("x")', { "a b": "xy" }, true],
    ["data.paid", { paid: true }, true],
  ])("evaluates the filter %s on the data %o to %s", (expression, data, expected) => {
    expect(matches(expression, data)).toBe(expected);
  });

  it.each([
    ["data.amount > 1", {}],
    ["data.amount > 1", { amount: "many" }],
    ["data.amount.x > 1", { amount: null }],
    ["data.amount", { amount: 2 }],
    ["data.constructor == data.constructor", {}],
    ['data["__proto__"] == data["__proto__"]', {}],
    ["data.a > 1", [1, 2]],
  ])("does not match if the filter %s cannot be evaluated on the data %o", (expression, data) => {
    expect(matches(expression, data)).toBe(false);
  });

  it("accepts a filter of at most 1,000 characters", () => {
    const expression = (length: number) => `data.s == "${"x".repeat(length - 'data.s == ""'.length)}"`;
    expect(filterProblem(expression(1_000))).toBeNull();
    expect(filterProblem(expression(1_001))).toMatch(/at most 1000 characters/);
  });

  it.each(["data.a >", "other == 1", "1 + 1", '"a"', "", 'data.a == "'])(
    "refuses the invalid filter %j when it is set",
    (expression) => {
      expect(filterProblem(expression)).toMatch(/valid CEL|true or false/);
    },
  );

  it.each([
    ['data.s.matches("(a+)+$")', "matches"],
    ["data.a.all(x, data.a.all(y, data.a.all(z, x == y)))", "all"],
    ["[1,2].map(x, x).exists(x, x > 1)", "exists"],
    ["size(data.a.filter(x, x > 1)) > 0", "filter"],
  ])(
    "rejects the filter %s, whose running time is not bounded by the event's size (denial of service)",
    (expression, name) => {
      expect(filterProblem(expression)).toContain(`cannot call ${name}`);
    },
  );

  it("refuses an expression that is nested too deep or has too many parts (denial of service)", () => {
    expect(filterProblem(`${"(".repeat(400)}true${")".repeat(400)}`)).toMatch(/valid CEL/);
    expect(filterProblem(Array.from({ length: 160 }, () => "true").join("||"))).toMatch(/valid CEL/);
  });
});
