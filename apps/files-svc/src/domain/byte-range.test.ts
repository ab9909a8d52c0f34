import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readByteRange } from "./byte-range.ts";

describe("readByteRange", () => {
  test("returns only ranges within the representation, whatever the header contains", () => {
    const part = fc.oneof(fc.constant(""), fc.nat(2000).map(String));
    fc.assert(
      fc.property(part, part, fc.nat(1000), (first, last, size) => {
        const range = readByteRange(`bytes=${first}-${last}`, size);
        if (range === null || range === "unsatisfiable") return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.start).toBeLessThanOrEqual(range.end);
        expect(range.end).toBeLessThan(size);
      }),
    );
  });

  test("refuses every range of an empty representation", () => {
    expect(readByteRange("bytes=0-", 0)).toBe("unsatisfiable");
    expect(readByteRange("bytes=-5", 0)).toBe("unsatisfiable");
  });
});
