import { Binary, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect, idsOf } from "./connect.ts";

const { collection } = connect();

describe("comparison", () => {
  it("compares numbers by value regardless of their type", async () => {
    const numbers = [new Int32(5), new Double(5), Long.fromNumber(5), Decimal128.fromString("5")];
    const c = await collection([...numbers.map((n, _id) => ({ _id, n })), { _id: 9, n: 5.5 }]);
    for (const n of numbers) expect(await idsOf(c, { n })).toEqual([0, 1, 2, 3]);
    expect(await idsOf(c, { n: { $gt: new Int32(5) } })).toEqual([9]);
    expect(await idsOf(c, { n: { $lte: Long.fromNumber(5) } })).toEqual([0, 1, 2, 3]);
  });

  it("distinguishes 64-bit integers beyond 2^53", async () => {
    const c = await collection([
      { _id: 1, n: Long.fromString("9007199254740993") },
      { _id: 2, n: Long.fromString("9007199254740992") },
    ]);
    expect(await idsOf(c, { n: Long.fromString("9007199254740993") })).toEqual([1]);
    expect(await idsOf(c, { n: { $lt: Long.fromString("9007199254740993") } })).toEqual([2]);
  });

  it("compares only within a type", async () => {
    const c = await collection([
      { _id: 1, v: 1 },
      { _id: 2, v: "1" },
      { _id: 3, v: new Date(1) },
      { _id: 4, v: true },
      { _id: 5 },
    ]);
    expect(await idsOf(c, { v: { $gte: 0 } })).toEqual([1]);
    expect(await idsOf(c, { v: { $gte: "" } })).toEqual([2]);
    expect(await idsOf(c, { v: { $lte: new Date() } })).toEqual([3]);
    expect(await idsOf(c, { v: { $gt: false } })).toEqual([4]);
    expect(await idsOf(c, { v: { $gt: new MinKey() } })).toEqual([1, 2, 3, 4]);
  });

  it("finds ObjectIds, UUIDs, binaries, dates, timestamps and documents by value", async () => {
    const values = [
      new ObjectId(),
      new UUID(),
      new Binary(Buffer.from([1, 2, 3])),
      new Date(1_700_000_000_000),
      new Timestamp({ t: 5, i: 1 }),
      { a: 1, b: "x" },
      new MaxKey(),
    ];
    const c = await collection(values.map((v, _id) => ({ _id, v })));
    for (const [index, v] of values.entries()) {
      expect(await idsOf(c, { v })).toEqual([index]);
      expect(await idsOf(c, { v: { $in: [v, "nothing"] } })).toEqual([index]);
    }
    expect(await idsOf(c, { v: new UUID() })).toEqual([]);
    expect(await idsOf(c, { v: { b: "x", a: 1 } })).toEqual([]);
  });

  it("matches a missing field as null, except with $exists and $type", async () => {
    const c = await collection([{ _id: 1, v: null }, { _id: 2 }, { _id: 3, v: 0 }, { _id: 4, v: [null, 1] }]);
    expect(await idsOf(c, { v: null })).toEqual([1, 2, 4]);
    expect(await idsOf(c, { v: { $ne: null } })).toEqual([3]);
    expect(await idsOf(c, { v: { $in: [null] } })).toEqual([1, 2, 4]);
    expect(await idsOf(c, { v: { $nin: [null, 0] } })).toEqual([]);
    expect(await idsOf(c, { v: { $exists: false } })).toEqual([2]);
    expect(await idsOf(c, { v: { $exists: true } })).toEqual([1, 3, 4]);
    expect(await idsOf(c, { v: { $type: "null" } })).toEqual([1, 4]);
    expect(await idsOf(c, { v: { $lte: null } })).toEqual([1, 2, 4]);
  });

  it("ignores members of Object.prototype", async () => {
    const c = await collection([{ _id: 1, a: 1 }]);
    expect(await idsOf(c, { constructor: { $exists: true } })).toEqual([]);
    expect(await idsOf(c, { toString: null })).toEqual([1]);
  });
});

describe("arrays and paths", () => {
  it("matches an element, a whole array, and fields of embedded documents", async () => {
    const c = await collection([
      { _id: 1, tags: ["a", "b"] },
      { _id: 2, tags: "a" },
      { _id: 3, tags: [["a"]] },
      {
        _id: 4,
        items: [
          { n: 1, s: "x" },
          { n: 5, s: "y" },
        ],
      },
      { _id: 5, items: { n: 5 } },
    ]);
    expect(await idsOf(c, { tags: "a" })).toEqual([1, 2]);
    expect(await idsOf(c, { tags: ["a", "b"] })).toEqual([1]);
    expect(await idsOf(c, { tags: ["a"] })).toEqual([3]);
    expect(await idsOf(c, { tags: { $ne: "a" } })).toEqual([3, 4, 5]);
    expect(await idsOf(c, { "tags.1": "b" })).toEqual([1]);
    expect(await idsOf(c, { "items.n": 5 })).toEqual([4, 5]);
    expect(await idsOf(c, { "items.1.s": "y" })).toEqual([4]);
    expect(await idsOf(c, { "items.n": 1, "items.s": "y" })).toEqual([4]);
    expect(await idsOf(c, { items: { $elemMatch: { n: 1, s: "y" } } })).toEqual([]);
    expect(await idsOf(c, { items: { $elemMatch: { n: { $gt: 1 }, s: "y" } } })).toEqual([4]);
  });

  it("supports $size, $all and $elemMatch on values", async () => {
    const c = await collection([
      { _id: 1, n: [1, 5, 9] },
      { _id: 2, n: [5] },
      { _id: 3, n: 5 },
      { _id: 4, n: [] },
    ]);
    expect(await idsOf(c, { n: { $size: 1 } })).toEqual([2]);
    expect(await idsOf(c, { n: { $size: 0 } })).toEqual([4]);
    expect(await idsOf(c, { n: { $all: [1, 9] } })).toEqual([1]);
    expect(await idsOf(c, { n: { $all: [5] } })).toEqual([1, 2, 3]);
    expect(await idsOf(c, { n: { $elemMatch: { $gt: 5, $lt: 9 } } })).toEqual([]);
    expect(await idsOf(c, { n: { $gt: 5, $lt: 9 } })).toEqual([1]);
    expect(await idsOf(c, { n: { $elemMatch: { $gte: 5, $lt: 9 } } })).toEqual([1, 2]);
  });
});

describe("logical and other operators", () => {
  it("supports $and, $or, $nor, $not, $regex, $mod, $type, $expr and bits", async () => {
    const c = await collection([
      { _id: 1, s: "Alpha", n: 4, m: 4 },
      { _id: 2, s: "beta", n: 7, m: 3 },
      { _id: 3, s: "gamma", n: "7" },
    ]);
    expect(await idsOf(c, { $and: [{ n: { $gt: 3 } }, { n: { $lt: 5 } }] })).toEqual([1]);
    expect(await idsOf(c, { $or: [{ s: "beta" }, { n: "7" }] })).toEqual([2, 3]);
    expect(await idsOf(c, { $nor: [{ s: "beta" }, { n: "7" }] })).toEqual([1]);
    expect(await idsOf(c, { n: { $not: { $gt: 5 } } })).toEqual([1, 3]);
    expect(await idsOf(c, { s: { $not: /a$/ } })).toEqual([]);
    expect(await idsOf(c, { s: /^a/i })).toEqual([1]);
    expect(await idsOf(c, { s: { $regex: "^a", $options: "i" } })).toEqual([1]);
    expect(await idsOf(c, { s: { $in: [/^b/, "gamma"] } })).toEqual([2, 3]);
    expect(await idsOf(c, { n: { $mod: [4, 3] } })).toEqual([2]);
    expect(await idsOf(c, { n: { $type: "number" } })).toEqual([1, 2]);
    expect(await idsOf(c, { n: { $type: ["string", 8] } })).toEqual([3]);
    expect(await idsOf(c, { $expr: { $eq: ["$n", "$m"] } })).toEqual([1]);
    expect(await idsOf(c, { n: { $bitsAllSet: 3 } })).toEqual([2]);
  });

  it("compares ObjectIds, UUIDs and 64-bit integers in $expr", async () => {
    const [id, uuid] = [new ObjectId(), new UUID()];
    const c = await collection([
      { _id: 1, a: id, b: new ObjectId(id.toHexString()), u: uuid, n: Long.fromNumber(3), m: 2 },
      { _id: 2, a: id, b: new ObjectId(), u: new UUID(), n: Long.fromNumber(1), m: 2 },
    ]);
    expect(await idsOf(c, { $expr: { $eq: ["$a", "$b"] } })).toEqual([1]);
    expect(await idsOf(c, { $expr: { $eq: ["$u", uuid] } })).toEqual([1]);
    expect(await idsOf(c, { $expr: { $gt: ["$n", "$m"] } })).toEqual([1]);
  });

  it("refuses unknown operators, even on a missing collection", async () => {
    const c = await collection();
    for (const filter of [{ a: { $near: 1 } }, { $nope: [] }, { a: { $gt: 1, $unknown: 2 } }, { $or: [] }]) {
      await expect(c.find(filter).toArray()).rejects.toMatchObject({ code: 2 });
    }
    await c.insertOne({ a: 1 });
    await expect(c.countDocuments({ a: { $unknown: 1 } })).rejects.toMatchObject({ code: 2 });
  });
});

describe("maxTimeMS", () => {
  it("ends a find, count, distinct and aggregate that take longer with MaxTimeMSExpired", async () => {
    const c = await collection(
      Array.from({ length: 25_000 }, (_, number) => ({ _id: number, text: `text ${number}` })),
    );
    const slow = { text: { $regex: "(t|e|x)+ [0-9]*[a-z]$" } };
    const limit = { maxTimeMS: 1 };
    const expired = { code: 50, codeName: "MaxTimeMSExpired" };
    await expect(c.find(slow, limit).toArray()).rejects.toMatchObject(expired);
    await expect(c.countDocuments(slow, limit)).rejects.toMatchObject(expired);
    await expect(c.distinct("text", slow, limit)).rejects.toMatchObject(expired);
    await expect(c.aggregate([{ $match: slow }, { $count: "n" }], limit).toArray()).rejects.toMatchObject(expired);
  });

  it("responds within the time limit, and without a limit when it is 0", async () => {
    const c = await collection([{ _id: 1 }]);
    expect(await c.find({}, { maxTimeMS: 60_000 }).toArray()).toHaveLength(1);
    expect(await c.find({}, { maxTimeMS: 0 }).toArray()).toHaveLength(1);
  });
});
