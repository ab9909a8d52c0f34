import { describe, expect, test } from "vitest";
import { evaluateConditions, rangeApplies } from "./conditions.ts";

const validators = { etag: '"abc"', lastModified: new Date("2026-01-01T00:00:00.750Z") };
const at = "Thu, 01 Jan 2026 00:00:00 GMT";
const before = "Wed, 31 Dec 2025 23:59:59 GMT";

describe("preconditions", () => {
  test("compares dates in whole seconds", () => {
    expect(evaluateConditions({ "if-modified-since": at }, validators)).toBe(304);
    expect(evaluateConditions({ "if-modified-since": before }, validators)).toBe("proceed");
    expect(evaluateConditions({ "if-unmodified-since": at }, validators)).toBe("proceed");
    expect(evaluateConditions({ "if-unmodified-since": before }, validators)).toBe(412);
    expect(rangeApplies({ "if-range": at }, validators)).toBe(true);
    expect(rangeApplies({ "if-range": before }, validators)).toBe(false);
  });

  test("ignores a date that cannot be parsed", () => {
    expect(evaluateConditions({ "if-modified-since": "yesterday" }, validators)).toBe("proceed");
    expect(evaluateConditions({ "if-unmodified-since": "yesterday" }, validators)).toBe("proceed");
    expect(rangeApplies({ "if-range": "yesterday" }, validators)).toBe(false);
  });

  test("gives an entity tag precedence over a date", () => {
    expect(evaluateConditions({ "if-none-match": '"other"', "if-modified-since": at }, validators)).toBe("proceed");
    expect(evaluateConditions({ "if-match": '"abc"', "if-unmodified-since": before }, validators)).toBe("proceed");
  });
});
