import { describe, expect, it } from "vitest";
import { idempotencyKeyHeader } from "./headers.ts";
import { validate } from "./violations.ts";

describe.each([120, 255] as const)("an Idempotency-Key of at most %i characters", (maxLength) => {
  const outcome = (value: string | undefined) => {
    const result = validate(idempotencyKeyHeader(maxLength), value, "header:Idempotency-Key");
    return result.ok ? "ok" : result.violations.map(({ path, code }) => `${path} ${code}`);
  };

  it("accepts an Idempotency-Key of 1 to its maximum of printable ASCII characters", () => {
    expect([outcome("!"), outcome("a".repeat(maxLength)), outcome("~-_.:/")]).toEqual(["ok", "ok", "ok"]);
  });

  it.each([
    [undefined, "required"],
    ["", "too_short"],
    ["a".repeat(maxLength + 1), "too_long"],
    ["a b", "invalid_format"],
    ["a\tb", "invalid_format"],
    ["clé", "invalid_format"],
    ["a\x7f", "invalid_format"],
    ["a\n", "invalid_format"],
  ])("refuses the Idempotency-Key %j", (value, code) => {
    expect(outcome(value)).toEqual([`header:Idempotency-Key ${code}`]);
  });
});
