import { Int32 } from "bson";
import { describe, expect, it } from "vitest";
import { ParsedDocuments, StoredDocument } from "./stored-document.ts";
import { encode } from "./values.ts";

describe("stored documents", () => {
  it("returns the same content after its parsed form was evicted", () => {
    const parsed = new ParsedDocuments(2);
    const stored = [1, 2, 3, 4].map((n) => new StoredDocument(n, encode({ n: new Int32(n) }), parsed));
    for (let round = 0; round < 3; round++) {
      for (const { number, doc } of stored) expect(doc).toEqual({ n: new Int32(number) });
    }
    const [first] = stored;
    const before = first?.doc;
    expect(first?.doc).toBe(before);
    first?.change(encode({ n: new Int32(9) }), { n: new Int32(9) });
    for (const { doc } of stored.slice(1)) expect(doc).not.toEqual({ n: new Int32(9) });
    expect(first?.doc).toEqual({ n: new Int32(9) });
    expect(first?.doc).not.toBe(before);
  });
});
