import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedKeys } from "./sorted-keys.ts";

const key = (number: number) => String.fromCharCode(0x100 + number);

describe("sorted keys", () => {
  it("returns every range in both directions like a sorted list", () => {
    const number = fc.integer({ min: 0, max: 2000 });
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 1500, size: "max" }),
        fc.array(number, { maxLength: 1500, size: "max" }),
        number,
        number,
        (added, removed, from, to) => {
          const sorted = new SortedKeys<number>();
          const expected = new Set<number>();
          for (const item of added) if (!expected.has(item)) sorted.insert(key(item), expected.add(item) && item);
          for (const item of removed) {
            sorted.remove(key(item));
            expected.delete(item);
          }
          const inRange = [...expected].filter((item) => item >= from && item < to).sort((a, b) => a - b);
          const walk = (descending: boolean) =>
            [...sorted.range(key(from), key(to), descending)].map(([, value]) => value);
          expect(walk(false)).toEqual(inRange);
          expect(walk(true)).toEqual([...inRange].reverse());
          expect(sorted.size).toBe(expected.size);
          expect(sorted.estimate(key(0), key(3000))).toBeGreaterThanOrEqual(Math.min(1, expected.size));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("returns the same keys after a bulk build as after single insertions", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 5000 }), { maxLength: 1500, size: "max" });
    fc.assert(
      fc.property(numbers, numbers, (loaded, added) => {
        const sorted = SortedKeys.of(loaded.map(key), (of) => of.charCodeAt(0) - 0x100);
        const expected = new Set(loaded);
        for (const item of added) if (!expected.has(item)) sorted.insert(key(item), expected.add(item) && item);
        const walked = [...sorted.range("", "\uffff")].map(([, value]) => value);
        expect(walked).toEqual([...expected].sort((a, b) => a - b));
        expect(sorted.size).toBe(expected.size);
        for (const item of expected) sorted.remove(key(item));
        expect([...sorted.range("", "\uffff")]).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("returns pinned entries as they were, whatever is inserted and removed afterwards", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 2000 }), { maxLength: 1500, size: "max" });
    fc.assert(
      fc.property(numbers, numbers, fc.nat(1500), fc.boolean(), (given, toggled, readBefore, descending) => {
        const sorted = SortedKeys.of(given.map(key), (of) => of.charCodeAt(0) - 0x100);
        const expected = new Set(given);
        const walk = () => [...sorted.range("", "\uffff", descending)].map(([, value]) => value);
        const before = walk();
        const entries = sorted.range("", "\uffff", descending);
        const read: number[] = [];
        for (let count = 0; count < readBefore; count += 1) {
          const next = entries.next();
          if (next.done !== true) read.push(next.value[1]);
        }
        entries.pin();
        for (const item of toggled) {
          if (expected.delete(item)) sorted.remove(key(item));
          else sorted.insert(key(item), expected.add(item) && item);
        }
        expect([...read, ...[...entries].map(([, value]) => value)]).toEqual(before);
        const inOrder = [...expected].sort((a, b) => a - b);
        expect(walk()).toEqual(descending ? inOrder.reverse() : inOrder);
      }),
      { numRuns: 60 },
    );
  });

  it("returns the first value under a prefix except the excluded one", () => {
    const part = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(part, part), { maxLength: 1500, size: "max" }),
        part,
        part,
        (added, prefix, left) => {
          const sorted = new SortedKeys<string>();
          const expected = new Set<string>();
          for (const [first, second] of added) {
            const joined = key(first) + key(second);
            if (!expected.has(joined)) sorted.insert(joined, joined);
            expected.add(joined);
          }
          const except = key(prefix) + key(left);
          const under = [...expected].filter((joined) => joined.startsWith(key(prefix))).sort();
          expect(sorted.first(key(prefix))).toBe(under[0]);
          expect(sorted.first(key(prefix), except)).toBe(under.find((joined) => joined !== except));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("stays sorted through 100,000 ascending and descending insertions", () => {
    const sorted = new SortedKeys<number>();
    const padded = (number: number) => String(number).padStart(7, "0");
    for (let number = 100_000; number < 200_000; number++) sorted.insert(padded(number), number);
    for (let number = 99_999; number >= 0; number--) sorted.insert(padded(number), number);
    const all = [...sorted.range("", "\uffff")].map(([, value]) => value);
    expect(all).toHaveLength(200_000);
    expect(all.every((value, index) => value === index)).toBe(true);
  });
});
