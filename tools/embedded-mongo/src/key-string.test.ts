import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from "bson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterAll, encodeKey, invertKey } from "./key-string.ts";

const sign = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const bytewise = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("key strings", () => {
  it("orders doubles as numbers", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        expect(sign(encodeKey(new Double(a)), encodeKey(new Double(b)))).toBe(Math.sign(a === b ? 0 : a < b ? -1 : 1));
      }),
    );
    expect(encodeKey(new Double(Number.NaN)) < encodeKey(new Double(Number.NEGATIVE_INFINITY))).toBe(true);
  });

  it("orders 64-bit integers exactly, also among doubles", () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, fc.bigInt({ min: -3n, max: 3n }), (a, difference) => {
        const b = BigInt.asIntN(64, a + difference);
        expect(sign(encodeKey(Long.fromBigInt(a)), encodeKey(Long.fromBigInt(b)))).toBe(a === b ? 0 : a < b ? -1 : 1);
        const double = Number(b);
        const expected = a === BigInt(double) ? 0 : a < BigInt(double) ? -1 : 1;
        expect(sign(encodeKey(Long.fromBigInt(a)), encodeKey(new Double(double)))).toBe(expected);
      }),
    );
    const fives = [new Int32(5), new Double(5), Long.fromNumber(5), Decimal128.fromString("5")].map(encodeKey);
    expect(new Set(fives).size).toBe(1);
  });

  it("orders strings by their UTF-8 bytes, regardless of what follows in a compound key", () => {
    const text = fc.string({
      unit: fc.constantFrom("\0", "\u0001", "a", "b", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{1f600}"),
    });
    fc.assert(
      fc.property(text, text, text, text, (a, b, restA, restB) => {
        const expected = bytewise(a, b) || bytewise(restA, restB);
        expect(sign(encodeKey(a) + encodeKey(restA), encodeKey(b) + encodeKey(restB))).toBe(Math.sign(expected));
        const inverted = bytewise(b, a) || bytewise(restA, restB);
        expect(sign(invertKey(encodeKey(a)) + encodeKey(restA), invertKey(encodeKey(b)) + encodeKey(restB))).toBe(
          Math.sign(inverted),
        );
      }),
    );
  });

  it("uses one byte per character for every value except other text", () => {
    const value = fc.oneof(
      fc.double().map((number) => new Double(number)),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((number) => Long.fromBigInt(number)),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((number) => new Timestamp(number)),
      fc.date(),
      fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
      fc.uint8Array().map((bytes) => new Binary(bytes)),
      fc.string({ unit: "binary-ascii" }),
    );
    fc.assert(
      fc.property(value, (a) => {
        expect(encodeKey(a)).toMatch(/^[\0-\xff]*$/);
      }),
    );
  });

  it("orders binary values by length, then by their bytes", () => {
    const content = fc.uint8Array({ maxLength: 3 });
    fc.assert(
      fc.property(content, content, (a, b) => {
        const expected = a.length - b.length || Buffer.compare(a, b);
        expect(sign(encodeKey(new Binary(a)), encodeKey(new Binary(b)))).toBe(Math.sign(expected));
      }),
    );
  });

  it("sorts a prefix's keys before its end", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (prefix, rest) => {
        const key = encodeKey(prefix);
        expect(key + encodeKey(rest) < key + afterAll).toBe(true);
        expect(key + invertKey(encodeKey(rest)) < key + afterAll).toBe(true);
      }),
    );
  });

  it("orders values of different types as MongoDB does", () => {
    const ordered = [
      null,
      new Double(-1),
      "a",
      { a: 1 },
      [],
      new Binary(Buffer.from("x")),
      new ObjectId(),
      false,
      true,
      new Date(0),
    ];
    const keys = ordered.map(encodeKey);
    expect([...keys].sort()).toEqual(keys);
  });
});
