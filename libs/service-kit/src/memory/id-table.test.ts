import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createIdTable } from "./id-table.ts";

type Step = { readonly kind: "set" | "delete" | "clear"; readonly id: number };

// Few numbers, and many that want the same place: neighbours, multiples of a capacity, and the ends of what a number may be.
const ids = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 8 }).map((times) => times * 64 + 62),
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER),
);
const kinds = fc.constantFrom<Step["kind"]>("set", "set", "set", "delete", "delete");
const steps = fc.array(
  fc.oneof({ weight: 60, arbitrary: fc.record({ kind: kinds, id: ids }) }, fc.constant<Step>({ kind: "clear", id: 0 })),
  { maxLength: 400 },
);

describe("createIdTable", () => {
  it("holds what a Map would hold, whatever is set and deleted", () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const [table, map] = [createIdTable<{ n: number }>(), new Map<number, { n: number }>()];
        for (const [n, { kind, id }] of taken.entries()) {
          if (kind === "clear") {
            table.clear();
            map.clear();
          } else if (kind === "delete") {
            expect(table.delete(id)).toBe(map.delete(id));
          } else {
            table.set(id, { n });
            map.set(id, { n });
          }
          expect(table.size()).toBe(map.size);
          for (const known of new Set(taken.map((step) => step.id))) expect(table.get(known)).toEqual(map.get(known));
        }
        const inOrder = (values: Iterable<{ n: number }>) => [...values].sort((a, b) => a.n - b.n);
        expect(inOrder(table.values())).toEqual(inOrder(map.values()));
      }),
      { numRuns: 300 },
    );
  });

  it("grows with what is under way, and finds one that has been there since the beginning", () => {
    const table = createIdTable<{ id: number }>();
    table.set(1, { id: 1 });
    for (let id = 2; id < 200_000; id += 1) {
      table.set(id, { id });
      if (id > 1_002) table.delete(id - 1_000);
    }
    expect(table.size()).toBe(1_002);
    expect(table.get(1)).toEqual({ id: 1 });
    expect(table.get(2)).toEqual({ id: 2 });
    expect(table.get(199_999)).toEqual({ id: 199_999 });
    expect(table.get(198_999)).toBeUndefined();
  });
});
