import { Int32 } from "bson";
import { describe, expect, it } from "vitest";
import { fieldsOf } from "./filter-fields.ts";
import { ParsedDocuments, parsedBytesMax, StoredDocument } from "./stored-document.ts";
import { decode, encode } from "./values.ts";

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

  it.each([
    ["at the limit stays parsed", 0, true],
    ["past the limit is parsed anew each time", 1, false],
  ])("a document %s", (_, more, isKept) => {
    const empty = encode({ text: "" }).length;
    const bytes = encode({ text: "x".repeat(parsedBytesMax - empty + more) });
    expect(bytes).toHaveLength(parsedBytesMax + more);
    const stored = new StoredDocument(1, bytes, new ParsedDocuments());
    const { doc } = stored;
    expect(stored.doc === doc).toBe(isKept);
    expect(stored.doc).toEqual(decode(bytes));
  });

  it("parses only the requested fields of a large document, in their order and with their types", () => {
    const doc = {
      _id: "a",
      café: new Int32(1),
      data: "x".repeat(parsedBytesMax),
      at: new Date(0),
      inner: { list: [new Int32(2), null] },
      data_: "y",
    };
    const stored = new StoredDocument(1, encode(doc), new ParsedDocuments());
    const part = stored.read(new Set(["inner", "_id", "café", "missing", "data_"]));
    expect(JSON.stringify(part)).toBe(
      JSON.stringify({ _id: "a", café: new Int32(1), inner: { list: [new Int32(2), null] }, data_: "y" }),
    );
    expect(part.café).toBeInstanceOf(Int32);
    expect(stored.read(new Set())).toEqual({});
    expect(stored.read(null)).toEqual(doc);
  });
});

describe("the fields of a filter", () => {
  it.each([
    [{}, []],
    [{ "a.b": 1, c: { $gt: 1 }, $comment: "d" }, ["a", "c"]],
    [{ $or: [{ a: 1 }, { $and: [{ "b.0": 2 }, { $nor: [{ c: 3 }] }] }], d: 4 }, ["a", "b", "c", "d"]],
  ])("%j are %j", (filter, fields) => {
    expect([...(fieldsOf(filter) ?? [])].sort()).toEqual(fields);
  });

  it.each([[{ $expr: { $eq: ["$a", "$b"] } }], [{ $or: [{ a: 1 }, { $expr: true }] }]])(
    "may be any field for %j",
    (filter) => {
      expect(fieldsOf(filter)).toBeNull();
    },
  );
});
