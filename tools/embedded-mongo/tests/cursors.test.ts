import { Double, Int32, Long, ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect } from "./connect.ts";

const { collection, db } = connect();

describe("find", () => {
  it("sorts, skips and limits, with ties in insertion order", async () => {
    const c = await collection([
      { _id: 1, a: 2, b: 1 },
      { _id: 2, a: 1, b: 1 },
      { _id: 3, a: 1, b: 2 },
      { _id: 4, b: 3 },
    ]);
    const ids = async (cursor: { toArray(): Promise<{ _id: unknown }[]> }) =>
      (await cursor.toArray()).map(({ _id }) => _id);
    expect(await ids(c.find().sort({ a: 1, b: -1 }))).toEqual([4, 3, 2, 1]);
    expect(await ids(c.find().sort({ a: -1 }))).toEqual([1, 2, 3, 4]);
    expect(await ids(c.find().sort({ b: 1 }).skip(1).limit(2))).toEqual([2, 3]);
    expect(await ids(c.find().limit(0))).toEqual([1, 2, 3, 4]);
    expect(await ids(c.find().sort({ _id: -1 }).skip(10))).toEqual([]);
  });

  it("sorts values of different types in MongoDB's order, arrays by their least or greatest element", async () => {
    const values = [
      null,
      -1,
      new Int32(2),
      new Double(2.5),
      Long.fromNumber(3),
      "A",
      "a",
      { x: 1 },
      new ObjectId(),
      false,
      true,
      new Date(0),
    ];
    const c = await collection([...values].reverse().map((v) => ({ _id: values.indexOf(v), v })));
    const sorted = await c.find().sort({ v: 1 }).toArray();
    expect(sorted.map(({ _id }) => _id)).toEqual(values.map((_, index) => index));
    const arrays = await collection([
      { _id: 1, v: [5, 1] },
      { _id: 2, v: 3 },
      { _id: 3, v: [] },
    ]);
    expect((await arrays.find().sort({ v: 1 }).toArray()).map(({ _id }) => _id)).toEqual([3, 1, 2]);
    expect((await arrays.find().sort({ v: -1 }).toArray()).map(({ _id }) => _id)).toEqual([1, 2, 3]);
  });

  it("orders strings by code point, with NUL first", async () => {
    const strings = ["", "a", "a\0", "a\u0001", "ab", "\uffff", "\u{1f600}"];
    const c = await collection([...strings].reverse().map((s) => ({ _id: s })));
    expect((await c.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id)).toEqual(strings);
    expect(
      (
        await c
          .find({ _id: { $gt: "a" } })
          .sort({ _id: -1 })
          .toArray()
      ).map(({ _id }) => _id),
    ).toEqual(strings.slice(2).reverse());
  });

  it("returns each document once in batches, and refuses a killed cursor", async () => {
    const c = await collection(Array.from({ length: 250 }, (_, _id) => ({ _id })));
    const seen = [];
    for await (const { _id } of c.find().batchSize(40)) seen.push(_id);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, _id) => _id));
    expect(await c.find().limit(101).batchSize(10).toArray()).toHaveLength(101);
    const { cursor } = await db().command({ find: c.collectionName, batchSize: 2 }, { promoteLongs: false });
    expect(await db().command({ killCursors: c.collectionName, cursors: [cursor.id] })).toMatchObject({
      cursorsKilled: [cursor.id.toNumber()],
    });
    await expect(db().command({ getMore: cursor.id, collection: c.collectionName })).rejects.toMatchObject({
      code: 43,
    });
    const single = await db().command({ find: c.collectionName, batchSize: 2, singleBatch: true });
    expect(Number(single.cursor.id)).toBe(0);
  });

  it("refuses a cursor id that is not a long", async () => {
    const c = await collection([{ _id: 1 }]);
    const kill = db().command({ killCursors: c.collectionName, cursors: [1] });
    await expect(kill).rejects.toMatchObject({ code: 14 });
    await expect(db().command({ getMore: 1, collection: c.collectionName })).rejects.toMatchObject({ code: 14 });
  });

  it("returns an empty result for a missing collection", async () => {
    const c = db().collection("never_created");
    expect(await c.find({ a: 1 }).toArray()).toEqual([]);
    expect(await c.countDocuments()).toBe(0);
    expect(await c.deleteMany({})).toMatchObject({ deletedCount: 0 });
    expect(await c.findOneAndUpdate({}, { $set: { a: 1 } })).toBeNull();
  });

  it("returns a result larger than one message", async () => {
    const c = await collection();
    const body = "x".repeat(1_000_000);
    await c.insertMany(Array.from({ length: 40 }, (_, _id) => ({ _id, body })));
    expect(await c.find().toArray()).toHaveLength(40);
  });
});

describe("projection", () => {
  const document = { _id: 1, a: 1, b: { c: 2, d: 3 }, list: [{ x: 1, y: 2 }, { x: 3 }], n: [1, 2, 3, 4] };

  it("includes and excludes fields, inside documents and arrays", async () => {
    const c = await collection([document]);
    const project = (projection: object) => c.findOne({}, { projection });
    expect(await project({ a: 1 })).toEqual({ _id: 1, a: 1 });
    expect(await project({ a: 1, _id: 0 })).toEqual({ a: 1 });
    expect(await project({ "b.c": 1, "list.x": 1, _id: 0 })).toEqual({ b: { c: 2 }, list: [{ x: 1 }, { x: 3 }] });
    expect(await project({ b: 0, list: 0, n: 0 })).toEqual({ _id: 1, a: 1 });
    expect(await project({ "b.c": 0, "list.x": 0, n: 0 })).toEqual({ _id: 1, a: 1, b: { d: 3 }, list: [{ y: 2 }, {}] });
    expect(await project({ _id: 1 })).toEqual({ _id: 1 });
    expect(await project({ _id: 0 })).not.toHaveProperty("_id");
    expect(await project({ constructor: 1 })).toEqual({ _id: 1 });
    await expect(project({ a: 1, b: 0 })).rejects.toMatchObject({ codeName: expect.any(String) });
  });

  it("supports $slice, $elemMatch, the positional $ and expressions", async () => {
    const c = await collection([document]);
    expect(await c.findOne({}, { projection: { n: { $slice: 2 }, _id: 1, a: 1 } })).toEqual({
      _id: 1,
      a: 1,
      n: [1, 2],
    });
    expect(await c.findOne({}, { projection: { n: { $slice: -1 }, list: 0 } })).toEqual({
      _id: 1,
      a: 1,
      b: document.b,
      n: [4],
    });
    expect(await c.findOne({}, { projection: { n: { $slice: [1, 2] }, a: 1 } })).toEqual({ _id: 1, a: 1, n: [2, 3] });
    expect(await c.findOne({}, { projection: { list: { $elemMatch: { x: 3 } } } })).toEqual({
      _id: 1,
      list: [{ x: 3 }],
    });
    expect(await c.findOne({ "list.x": 3 }, { projection: { "list.$": 1 } })).toEqual({ _id: 1, list: [{ x: 3 }] });
    expect(await c.findOne({}, { projection: { sum: { $add: ["$a", "$b.c"] }, copy: "$a", _id: 0 } })).toEqual({
      sum: 3,
      copy: 1,
    });
  });
});

describe("count and distinct", () => {
  it("counts with filter, skip and limit, and lists distinct values of array elements", async () => {
    const c = await collection([{ t: ["a", "b"] }, { t: "b" }, { t: 5 }, {}]);
    expect(await c.countDocuments({ t: "b" })).toBe(2);
    expect(await c.countDocuments({}, { skip: 1, limit: 2 })).toBe(2);
    expect(await c.estimatedDocumentCount()).toBe(4);
    expect(await c.distinct("t")).toEqual([5, "a", "b"]);
    expect(await c.distinct("t", { t: "b" })).toEqual(["a", "b"]);
  });
});
