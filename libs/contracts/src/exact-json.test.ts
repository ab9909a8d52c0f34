import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedNumbers, isHeldByDouble, parseExactly, withSourceTexts } from "./exact-json.ts";

const roundTrip = (text: string): string => JSON.stringify(parseExactly(text));

describe("JSON that is read exactly", () => {
  it.each([
    '{"id":9007199254740993,"p":0.1234567890123456789}',
    "[1.0,1.50,1e3,1E+3,-0,-0.0,1e-400,12345678901234567890]",
    '{"__proto__":{"n":1.0},"$set":{"a.b":2.00},"constructor":3e0,"":-0}',
  ])("writes %s back with every digit", (text) => {
    expect(roundTrip(text)).toBe(text);
  });

  it("keeps the last of two members with the same name", () => {
    expect(roundTrip('{"a":1.0,"a":2.0}')).toBe('{"a":2.0}');
  });

  it("keeps a number as a plain number if JavaScript writes it the same way", () => {
    const text = '{"a":[1,-2.5,0.1],"b":"1.0"}';
    expect(parseExactly(text)).toEqual(JSON.parse(text));
  });

  it("accepts every text that JSON.parse accepts", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(roundTrip(text)).toBe(text);
      }),
    );
  });
});

describe("a number", () => {
  it.each([
    "1.0",
    "1.50",
    "1e3",
    "-0",
    "0e99999999999999999999",
    "1e21",
    "0.0000001",
    "100000000000000000000",
    "-2.5E-3",
  ])("recognizes that a double represents %s exactly", (source) => {
    expect(isHeldByDouble(source)).toBe(true);
  });

  it.each([
    "9007199254740993",
    "-9007199254740993",
    "0.1234567890123456789",
    "1e-400",
    "1e400",
    "12345678901234567890",
    "0.10000000000000000001",
  ])("reports that a double would change %s", (source) => {
    expect(isHeldByDouble(source)).toBe(false);
  });

  it("recognizes that a double represents every number that JavaScript wrote, in any notation", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isHeldByDouble(String(value))).toBe(true);
        expect(isHeldByDouble(value.toExponential())).toBe(true);
      }),
    );
  });

  it("checks a number of a million digits in linear time", () => {
    const startedAt = performance.now();
    for (const source of [
      `0.${"0".repeat(1_000_000)}1`,
      `1${"0".repeat(1_000_000)}1e-1000000`,
      "9".repeat(1_000_000),
    ]) {
      expect(isHeldByDouble(source)).toBe(false);
    }
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

it("finds exactly the numbers that a double would change", () => {
  const text =
    '{"a":9007199254740993,"b":[1.0,{"c/d":0.1234567890123456789}],"__proto__":{"e":1e-400},"f":{"rawJSON":"1.0"}}';
  expect(changedNumbers(parseExactly(text))).toEqual([["a"], ["b", 1, "c/d"], ["__proto__", "e"]]);
});

it("copies the source text of numbers that a double would change, and returns null if there are none", () => {
  const copied = withSourceTexts(parseExactly('{"a":9007199254740993,"__proto__":[1.0,1e2],"b":"1.0"}'));
  expect(JSON.stringify(copied)).toBe('{"a":"9007199254740993","__proto__":[1,100],"b":"1.0"}');
  expect(withSourceTexts(parseExactly('{"a":1.0}'))).toBeNull();
});
