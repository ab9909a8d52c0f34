import { Binary, Double, Int32, Long, ObjectId, Timestamp, UUID } from "bson";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileProjection } from "./projection.ts";
import { changesOf, omit, pick, splice } from "./splice.ts";
import { type Doc, decode, encode, setOwn } from "./values.ts";

const value = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
  fc.integer().map((number) => new Int32(number)),
  fc.double({ noNaN: true }).map((number) => new Double(number)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((number) => Long.fromBigInt(number)),
  fc.uint8Array().map((bytes) => new Binary(bytes)),
  fc.constantFrom(new ObjectId(), new UUID(), new Timestamp({ t: 1, i: 2 })),
  fc.dictionary(
    fc.string().filter((name) => !name.includes("\0")),
    fc.string(),
  ),
  fc.array(fc.boolean()),
);
const name = fc.oneof(
  fc.constantFrom("_id", "a", "b", "c", "7", "42", "é", "__proto__", "toString"),
  fc.string({ maxLength: 3 }),
);
const document = fc
  .array(
    fc.tuple(
      name.filter((text) => !text.includes("\0")),
      value,
    ),
    { maxLength: 8 },
  )
  .map((fields) => {
    const doc: Doc = {};
    for (const [key, field] of fields) setOwn(doc, key, field);
    return doc;
  });

describe("splice", () => {
  it("gives the bytes a whole serialization would, whatever changed, was removed, added or moved", () => {
    fc.assert(
      fc.property(document, document, fc.boolean(), (first, second, areNewFirst) => {
        const bytes = encode(first);
        const before = decode(bytes);
        const after: Doc = {};
        for (const [from, isKept] of areNewFirst
          ? [[second, false] as const, [before, true] as const]
          : [[before, true] as const, [second, false] as const]) {
          for (const key of Object.keys(from)) if (!isKept || key.length !== 1) setOwn(after, key, from[key]);
        }
        expect(splice(bytes, after, changesOf(before, after))).toEqual(encode(after));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe.each([
  { copy: pick, areKept: true, text: "pick gives the bytes of the named fields alone" },
  { copy: omit, areKept: false, text: "omit gives the bytes of all but the named fields" },
])("copying fields", ({ copy, areKept, text }) => {
  it(`${text}, in their order, or nothing where a name may not be what it seems`, () => {
    fc.assert(
      fc.property(document, fc.uniqueArray(name), (doc, names) => {
        const whole = decode(encode(doc));
        const some: Doc = {};
        for (const key of Object.keys(whole)) if (names.includes(key) === areKept) setOwn(some, key, whole[key]);
        const isPlain = Object.keys(whole).every((key) => /^(?![0-9])[\0-~]*$/.test(key));
        expect(copy(encode(doc), new Set(names))).toEqual(isPlain ? encode(some) : undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a projection of whole fields", () => {
  it("gives the same bytes whether it copies them or parses the document", () => {
    const projection = fc.record({
      names: fc.uniqueArray(name.filter((text) => text !== "_id" && !/[.$]/.test(text))),
      isInclusion: fc.boolean(),
      id: fc.constantFrom(undefined, true, false),
    });
    fc.assert(
      fc.property(document, projection, (doc, { names, isInclusion, id }) => {
        const given: Doc = {};
        for (const key of names) setOwn(given, key, isInclusion);
        if (id !== undefined) given._id = id;
        const compiled = compileProjection(given);
        const bytes = encode(doc);
        const copied = compiled?.copy(bytes);
        const isPlain = Object.keys(decode(bytes)).every((key) => /^(?![0-9])[\0-~]*$/.test(key));
        expect(copied).toEqual(isPlain && compiled ? encode(compiled.apply(decode(bytes))) : undefined);
      }),
      { numRuns: 2_000 },
    );
  });
});
