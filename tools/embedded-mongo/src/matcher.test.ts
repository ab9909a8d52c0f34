import { Int32 } from "bson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileFilter, filteredFields } from "./matcher.ts";
import { ParsedDocuments, StoredDocument } from "./stored-document.ts";
import { type Doc, decode, encode } from "./values.ts";

const value = fc.oneof(
  fc.constantFrom("x", "y", null, true),
  fc.integer({ min: 0, max: 3 }).map((number) => new Int32(number)),
  fc.array(fc.constantFrom("x", "y"), { maxLength: 2 }),
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
      .map(([plain, operator, clauses]) => ({ ...plain, [operator]: clauses, $comment: "a" })),
  ),
}));

describe("filters", () => {
  it("say of the fields they look at what they say of the whole document", () => {
    let matched = 0;
    fc.assert(
      fc.property(document, filter, (doc, given) => {
        const bytes = encode(doc);
        const looked = filteredFields(given);
        if (looked === null) throw new Error("these filters name their fields");
        const matches = compileFilter(given);
        const isMatch = matches(decode(bytes));
        if (isMatch) matched++;
        expect(matches(new StoredDocument(1, bytes, new ParsedDocuments(1)).glance(looked))).toBe(isMatch);
      }),
      { numRuns: 3_000 },
    );
    expect(matched).toBeGreaterThan(100);
  });

  it("look at the whole document where an expression may name any field", () => {
    expect(filteredFields({ a: 1, $and: [{ b: 1 }, { $expr: { $eq: ["$c", 1] } }] })).toBeNull();
    expect(filteredFields({ "a.b": 1, $or: [{ c: 1 }], $comment: "d" })).toEqual(new Set(["a", "c"]));
  });
});
