import { Int32 } from "bson";
import fc from "fast-check";
import { Query } from "mingo";
import { describe, expect, it } from "vitest";
import { compileFilter } from "./matcher.ts";
import { type Doc, decode, encode, toPlain } from "./values.ts";

const value = fc.oneof(
  fc.constantFrom("x", "y", null, true),
  fc.integer({ min: 0, max: 3 }).map((number) => new Int32(number)),
  fc.array(fc.constantFrom("x", "y"), { minLength: 1, maxLength: 2 }),
  fc.record({ a: fc.constantFrom("x", "y"), b: fc.constantFrom("x", null) }, { requiredKeys: [] }),
);
const document = fc.dictionary(fc.constantFrom("a", "b", "c", "ab", "é", "7", "__proto__"), value);
const field = fc.tuple(
  fc.constantFrom("a", "b", "a.b", "b.a.a", "ab", "é", "7", "c"),
  fc.oneof(
    value,
    fc.boolean().map(($exists) => ({ $exists })),
    value.map(($ne) => ({ $ne })),
    fc.array(fc.constantFrom("x", "y", null), { minLength: 1, maxLength: 2 }).map(($in) => ({ $in })),
  ),
);
const fields = fc.array(field, { maxLength: 2 }).map((pairs) => Object.fromEntries(pairs) as Doc);
const { filter } = fc.letrec<{ filter: Doc }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    fields,
    fc
      .tuple(fields, fc.constantFrom("$and", "$or", "$nor"), fc.array(tie("filter"), { minLength: 1, maxLength: 3 }))
      .map(([plain, operator, clauses]) => ({ ...plain, [operator]: clauses })),
  ),
}));

describe("a compiled filter", () => {
  it("matches the same documents as mingo", () => {
    let matched = 0;
    fc.assert(
      fc.property(document, filter, (doc, given) => {
        const stored = decode(encode(doc));
        const isMatch = compileFilter(given)(stored);
        if (isMatch) matched++;
        expect(isMatch).toBe(new Query(toPlain(given) as Doc).test(toPlain(stored) as Doc));
      }),
      { numRuns: 3_000 },
    );
    expect(matched).toBeGreaterThan(100);
  });
});
