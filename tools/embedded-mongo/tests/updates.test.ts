import { type Document, Double, Int32, Long, ObjectId, Timestamp } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect, itUnlessFerretDb } from "./connect.ts";

const { collection, db } = connect();

/** Inserts a document, updates it once and returns the result. */
async function after(
  document: object,
  update: object | object[],
  options: object = {},
  filter: object = {},
): Promise<Document> {
  const c = await collection([{ _id: 1, ...document }]);
  await c.updateOne(filter, update, options);
  const { _id, ...rest } = (await c.findOne({ _id: 1 })) ?? {};
  return rest;
}

describe("fields", () => {
  it("creates parents by $set, and keeps array positions by $unset", async () => {
    expect(await after({ a: 1 }, { $set: { "b.c.d": 2, a: 3 } })).toEqual({ a: 3, b: { c: { d: 2 } } });
    expect(await after({ l: [1, 2] }, { $set: { "l.1": 9, "l.3": 4 } })).toEqual({ l: [1, 9, null, 4] });
    expect(await after({ l: [{ x: 1 }] }, { $set: { "l.0.x": 5 } })).toEqual({ l: [{ x: 5 }] });
    expect(await after({ a: { b: 1, c: 2 }, l: [1, 2] }, { $unset: { "a.b": "", "l.0": "", zz: "" } })).toEqual({
      a: { c: 2 },
      l: [null, 2],
    });
    await expect(after({ a: 5 }, { $set: { "a.b": 1 } })).rejects.toMatchObject({ code: 28 });
  });

  itUnlessFerretDb("refuses a field of an array with PathNotViable", async () => {
    await expect(after({ a: [] }, { $set: { "a.b": 1 } })).rejects.toMatchObject({ code: 28 });
  });

  it("keeps and widens number types by $inc and $mul as the server does", async () => {
    const c = await collection([
      { _id: 1, i: new Int32(1), l: Long.fromNumber(1), d: new Double(1), big: new Int32(2147483647) },
    ]);
    await c.updateOne({}, { $inc: { i: 1, l: 1, d: 1, big: 1, missing: 5 }, $mul: { none: 3 } });
    const found = await c.findOne({}, { promoteValues: false });
    expect(found).toMatchObject({ i: new Int32(2), d: new Double(2), missing: new Int32(5), none: new Int32(0) });
    expect([found?.l, found?.big].map((v) => [v._bsontype, String(v)])).toEqual([
      ["Long", "2"],
      ["Long", "2147483648"],
    ]);
    // @ts-expect-error Only numbers can be added.
    await expect(c.updateOne({}, { $inc: { _id: "x" } })).rejects.toMatchObject({ code: 14 });
    await expect(after({ s: "text" }, { $inc: { s: 1 } })).rejects.toMatchObject({ code: 14 });
  });

  it("applies $min, $max, $rename, $bit and $currentDate", async () => {
    expect(await after({ a: 5, b: 5 }, { $min: { a: 3, b: 9, c: 1 } })).toEqual({ a: 3, b: 5, c: 1 });
    expect(await after({ a: 5, b: new Date(5) }, { $max: { a: 3, b: new Date(9) } })).toEqual({ a: 5, b: new Date(9) });
    expect(await after({ a: { b: 1 } }, { $rename: { "a.b": "c", none: "d" } })).toEqual({ a: {}, c: 1 });
    expect(await after({ n: 5 }, { $bit: { n: { and: 6 } } })).toEqual({ n: 4 });
    const dated = await after({}, { $currentDate: { at: true, ts: { $type: "timestamp" } } });
    expect(dated.at).toBeInstanceOf(Date);
    expect(dated.ts).toBeInstanceOf(Timestamp);
  });

  it("leaves prototypes unchanged for fields named like their members", async () => {
    const changed = await after({}, { $set: { "constructor.prototype.polluted": 1, toString: "x" } });
    expect(Object.keys(changed)).toEqual(["constructor", "toString"]);
    expect({}).not.toHaveProperty("polluted");
    const c = await collection();
    const update = JSON.parse('{"$set":{"__proto__.polluted":1}}');
    await c.updateOne({ _id: 1 }, update, { upsert: true });
    expect({}).not.toHaveProperty("polluted");
    expect(await c.countDocuments({ "__proto__.polluted": 1 })).toBe(1);
  });
});

describe("arrays", () => {
  it("applies $push with $each, $position, $sort and $slice", async () => {
    expect(await after({}, { $push: { l: 1 } })).toEqual({ l: [1] });
    expect(await after({ l: [1] }, { $push: { l: [2, 3] } })).toEqual({ l: [1, [2, 3]] });
    expect(await after({ l: [1, 2] }, { $push: { l: { $each: [8, 9], $position: 1 } } })).toEqual({ l: [1, 8, 9, 2] });
    expect(await after({ l: [5, 1] }, { $push: { l: { $each: [3], $sort: -1, $slice: 2 } } })).toEqual({ l: [5, 3] });
    expect(
      await after({ l: [{ n: 2 }] }, { $push: { l: { $each: [{ n: 1 }, { n: 3 }], $sort: { n: 1 }, $slice: -2 } } }),
    ).toEqual({ l: [{ n: 2 }, { n: 3 }] });
    expect(await after({ l: [1] }, { $push: { l: { $each: [2], $slice: 0 } } })).toEqual({ l: [] });
    await expect(after({ l: 1 }, { $push: { l: 1 } })).rejects.toMatchObject({ code: 2 });
    await expect(after({ l: [] }, { $push: { l: { $each: [1], $nope: 1 } } })).rejects.toMatchObject({ code: 2 });
  });

  it("applies $addToSet, $pull, $pullAll and $pop", async () => {
    const id = new ObjectId();
    expect(await after({ l: [id] }, { $addToSet: { l: { $each: [new ObjectId(id.toHexString()), 1, 1] } } })).toEqual({
      l: [id, 1],
    });
    expect(await after({ l: [1, 5, 9] }, { $pull: { l: { $gte: 5 } } })).toEqual({ l: [1] });
    expect(await after({ l: [1, 5, 1] }, { $pull: { l: 1 } })).toEqual({ l: [5] });
    expect(await after({ l: [{ a: 1, b: 1 }, { a: 2 }] }, { $pull: { l: { a: 1 } } })).toEqual({ l: [{ a: 2 }] });
    expect(await after({ l: [{ a: 1 }, { a: 2 }] }, { $pull: { l: { a: { $in: [2, 3] } } } })).toEqual({
      l: [{ a: 1 }],
    });
    expect(await after({ l: [1, 2, 3] }, { $pullAll: { l: [1, 3], none: [1] } })).toEqual({ l: [2] });
    expect(await after({ l: [1, 2, 3], m: [1, 2] }, { $pop: { l: 1, m: -1 } })).toEqual({ l: [1, 2], m: [2] });
  });

  it("applies positional $, $[] and $[name]", async () => {
    const items = [
      { k: "a", n: 1 },
      { k: "b", n: 2 },
      { k: "b", n: 3 },
    ];
    const first = await after({ items }, { $set: { "items.$.n": 9 } }, {}, { "items.k": "b" });
    expect(first.items.map(({ n }: { n: number }) => n)).toEqual([1, 9, 3]);
    const matched = await after(
      { items },
      { $inc: { "items.$.n": 10 } },
      {},
      { items: { $elemMatch: { k: "b", n: 3 } } },
    );
    expect(matched.items.map(({ n }: { n: number }) => n)).toEqual([1, 2, 13]);
    expect(await after({ l: [1, 2] }, { $inc: { "l.$[]": 1 } })).toEqual({ l: [2, 3] });
    expect(await after({ l: [1, 2] }, { $set: { "l.$": 7 } }, {}, { l: 2 })).toEqual({ l: [1, 7] });
    const filtered = await after(
      { items },
      { $set: { "items.$[item].done": true } },
      { arrayFilters: [{ "item.k": "b", "item.n": { $gt: 2 } }] },
    );
    expect(filtered.items.map(({ done }: { done?: boolean }) => done)).toEqual([undefined, undefined, true]);
    await expect(after({ l: [1] }, { $set: { "l.$": 7 } })).rejects.toMatchObject({ code: 2 });
    await expect(after({ l: [1] }, { $set: { "l.$[x]": 7 } })).rejects.toMatchObject({ code: 2 });
  });
});

describe("whole updates", () => {
  it("replaces a document, and refuses to change its _id", async () => {
    const c = await collection([{ _id: 1, a: 1, b: 2 }]);
    await c.replaceOne({ a: 1 }, { c: 3 });
    expect(await c.findOne()).toEqual({ _id: 1, c: 3 });
    await expect(c.replaceOne({ c: 3 }, { _id: 2, c: 4 })).rejects.toMatchObject({ code: 66 });
    await expect(c.updateOne({ c: 3 }, { $set: { _id: 2 } })).rejects.toMatchObject({ code: 66 });
    expect(await c.updateOne({ c: 3 }, { $set: { _id: 1 } })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 0,
    });
  });

  it("updates by a pipeline that reads the document", async () => {
    const c = await collection([{ _id: 1, a: 2, l: Long.fromNumber(7), id: new ObjectId() }]);
    await c.updateOne({}, [{ $set: { b: { $add: ["$a", 1] } } }, { $unset: "a" }]);
    expect(await c.findOne({}, { promoteLongs: false })).toEqual({
      _id: 1,
      b: 3,
      l: Long.fromNumber(7),
      id: expect.any(ObjectId),
    });
  });

  it("counts matched and modified documents, and updates many", async () => {
    const c = await collection([{ a: 1 }, { a: 2 }, { a: 2 }]);
    expect(await c.updateMany({ a: { $gte: 1 } }, { $set: { a: 2 } })).toMatchObject({
      matchedCount: 3,
      modifiedCount: 1,
    });
    expect(await c.updateOne({ a: 9 }, { $set: { a: 1 } })).toMatchObject({
      matchedCount: 0,
      modifiedCount: 0,
      upsertedCount: 0,
    });
  });

  it("upserts from the filter's equalities, the update and $setOnInsert", async () => {
    const c = await collection();
    const update = { $set: { a: 1 }, $setOnInsert: { made: true }, $inc: { n: 2 } };
    const first = await c.updateOne({ "k.x": 5, state: { $eq: "new" }, other: { $gt: 1 }, $and: [{ z: 3 }] }, update, {
      upsert: true,
    });
    expect(first).toMatchObject({ matchedCount: 0, upsertedCount: 1, upsertedId: expect.any(ObjectId) });
    expect(await c.findOne()).toEqual({
      _id: first.upsertedId,
      k: { x: 5 },
      state: "new",
      z: 3,
      a: 1,
      made: true,
      n: 2,
    });
    await c.updateOne({ a: 1 }, { $set: { a: 2 }, $setOnInsert: { made: false } }, { upsert: true });
    expect(await c.findOne()).toMatchObject({ a: 2, made: true });
    expect((await c.updateOne({ _id: "mine" }, { $set: { a: 3 } }, { upsert: true })).upsertedId).toBe("mine");
    await c.replaceOne({ _id: "other", q: 1 }, { b: 1 }, { upsert: true });
    expect(await c.findOne({ _id: "other" })).toEqual({ _id: "other", b: 1 });
  });

  it("keeps every field's type through an update of another", async () => {
    const c = await collection([{ _id: 1, d: new Double(5), l: Long.fromNumber(5), i: new Int32(5) }]);
    await c.updateOne({}, { $set: { x: 1 } });
    const found = await c.findOne({}, { promoteValues: false });
    expect([found?.d, found?.l, found?.i].map((value) => value._bsontype)).toEqual(["Double", "Long", "Int32"]);
  });

  it("refuses unknown operators and conflicting paths", async () => {
    const c = await collection([{ _id: 1 }]);
    const run = (u: object) => db().command({ update: c.collectionName, updates: [{ q: {}, u }] });
    for (const [u, code] of [
      [{ $nope: { a: 1 } }, 9],
      [{ $set: { a: 1 }, $inc: { a: 1 } }, 40],
      [{ $set: { "a.b": 1, a: 2 } }, 40],
    ] as const) {
      expect((await run(u as object)).writeErrors).toMatchObject([{ index: 0, code }]);
    }
    expect(await c.findOne()).toEqual({ _id: 1 });
  });

  it("accepts a nested field that begins with a dollar sign", async () => {
    expect(await after({ a: { b: 1 } }, { $set: { "a.$c": 2 } })).toEqual({ a: { b: 1, $c: 2 } });
  });

  itUnlessFerretDb("refuses a top-level field that begins with a dollar sign", async () => {
    await expect(after({}, { $set: { $a: 1 } })).rejects.toMatchObject({ code: 52 });
  });

  itUnlessFerretDb("refuses a stage that updates do not support with InvalidOptions", async () => {
    await expect(after({}, [{ $group: { _id: 1 } }])).rejects.toMatchObject({ code: 72 });
  });
});
