import { Int32 } from "bson";
import fc from "fast-check";
import { expect, it } from "vitest";
import { CollectionIndex } from "./collection-index.ts";
import { afterAll } from "./key-string.ts";
import { ParsedDocuments, StoredDocument } from "./stored-document.ts";
import { encode } from "./values.ts";

it("returns documents with equal values in the order of their numbers, even after a bulk fill", () => {
  const doc = { a: new Int32(1) };
  const parsed = new ParsedDocuments();
  const numbers = fc.uniqueArray(fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.integer({ min: 1, max: 2 ** 47 })));
  fc.assert(
    fc.property(numbers, (given) => {
      const documents = new Map(given.map((number) => [number, new StoredDocument(number, encode(doc), parsed)]));
      const [filled, inserted] = [1, 2].map(() => new CollectionIndex({ name: "a_1", key: { a: new Int32(1) } }));
      filled?.fill(
        given.flatMap((number) => filled.entriesOf(number, doc)),
        documents,
      );
      for (const stored of documents.values()) inserted?.add(stored, inserted.keysOf(doc));
      for (const index of [filled, inserted]) {
        const found = [...(index?.keys.range("", afterAll) ?? [])].map(([, stored]) => stored.number);
        expect(found).toEqual(given.toSorted((a, b) => a - b));
      }
    }),
  );
});
