import { describe, expect, it } from "vitest";
import { codePointCount, dottedName, hex64, isStorableText, text } from "./text.ts";
import { validate } from "./violations.ts";

const codeOf = (result: ReturnType<typeof validate>) => (result.ok ? "ok" : result.violations[0]?.code);

describe("codePointCount", () => {
  it.each([
    ["", 0],
    ["abc", 3],
    ["é", 1],
    ["e\u0301", 2],
    ["😀", 1],
    ["a😀b😀", 4],
    ["👩‍👩‍👧", 5],
    ["\ud83d", 1],
    ["\ude00\ud83d", 2],
    ["\ud83d😀", 2],
  ])("counts %j as %i code points", (value, count) => {
    expect(codePointCount(value)).toBe(count);
    expect([...value]).toHaveLength(count);
  });
});

describe("text", () => {
  const upToThree = text({ max: 3 });
  it.each([
    ["", "too_short"],
    ["a", "ok"],
    ["abc", "ok"],
    ["abcd", "too_long"],
    ["😀😀😀", "ok"],
    ["😀😀😀😀", "too_long"],
    ["a😀😀", "ok"],
    ["abc😀", "too_long"],
    ["e\u0301e", "ok"],
    ["a\0", "invalid_format"],
    ["\ud83d", "invalid_format"],
    ["a\ude00", "invalid_format"],
    [" ", "ok"],
    [3, "invalid_type"],
    [null, "invalid_type"],
    [["abc"], "invalid_type"],
  ])("validates %j with 1 to 3 characters as %s", (value, code) => {
    expect(codeOf(validate(upToThree, value))).toBe(code);
  });

  it("counts code points for the minimum length, too", () => {
    const four = text({ min: 4, max: 4 });
    expect(codeOf(validate(four, "😀😀"))).toBe("too_short");
    expect(codeOf(validate(four, "😀😀😀"))).toBe("too_short");
    expect(codeOf(validate(four, "😀😀😀😀"))).toBe("ok");
  });

  it("accepts an empty text if the minimum is 0", () => {
    expect(codeOf(validate(text({ min: 0, max: 3 }), ""))).toBe("ok");
  });
});

describe("dottedName", () => {
  it.each(["order.placed", "a1", "a_b-c.d", "a.", `a${"b".repeat(119)}`])("accepts the name %j", (value) => {
    expect(codeOf(validate(dottedName, value))).toBe("ok");
  });
  it.each(["a", "A.b", "1a", ".ab", "a b", "ab\n", "aé", "a\0"])("refuses the name %j", (value) => {
    expect(codeOf(validate(dottedName, value))).toBe("invalid_format");
  });
});

describe("hex64", () => {
  it("accepts 64 lower-case hex characters", () => {
    expect(codeOf(validate(hex64, "0123456789abcdef".repeat(4)))).toBe("ok");
  });
  it.each(["0123456789ABCDEF".repeat(4), "a".repeat(63), "a".repeat(65), `${"a".repeat(64)}\n`, "g".repeat(64), ""])(
    "refuses the hash %j",
    (value) => {
      expect(codeOf(validate(hex64, value))).toBe("invalid_format");
    },
  );
});

it("refuses NUL and lone surrogates at any position in a text", () => {
  expect(["plain", "😀", "\u0001", ""].map(isStorableText)).toEqual([true, true, true, true]);
  expect(["\0", "a\0b", "\ud800", "a\udfff"].map(isStorableText)).toEqual([false, false, false, false]);
});
