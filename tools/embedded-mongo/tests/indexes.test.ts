import { type Document, type Filter, type IndexDescription, ObjectId, UUID } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect, idsOf, itUnlessFerretDb, stagesOf } from "./connect.ts";

const { collection, database, db } = connect();

describe("unique indexes", () => {
  it("reports a duplicate on insert, update, replace and upsert", async () => {
    const c = await collection([
      { _id: 1, client: "a", key: "k1" },
      { _id: 2, client: "a", key: "k2" },
    ]);
    await c.createIndex({ client: 1, key: 1 }, { unique: true });
    const duplicate = { code: 11000 };
    await expect(c.insertOne({ client: "a", key: "k1" })).rejects.toMatchObject(duplicate);
    await expect(c.updateOne({ _id: 2 } as never, { $set: { key: "k1" } })).rejects.toMatchObject(duplicate);
    await expect(c.replaceOne({ _id: 2 } as never, { client: "a", key: "k1" })).rejects.toMatchObject(duplicate);
    const insertsTwin = c.updateOne({ _id: 3 } as never, { $set: { client: "a", key: "k1" } }, { upsert: true });
    await expect(insertsTwin).rejects.toMatchObject(duplicate);
    expect(await c.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 1, client: "a", key: "k1" },
      { _id: 2, client: "a", key: "k2" },
    ]);
  });

  itUnlessFerretDb("reports a duplicate on findAndModify with the same code", async () => {
    const c = await collection([{ k: 1 }, { k: 2 }]);
    await c.createIndex({ k: 1 }, { unique: true });
    await expect(c.findOneAndUpdate({ k: 2 }, { $set: { k: 1 } })).rejects.toMatchObject({ code: 11000 });
  });

  itUnlessFerretDb("names the key of a duplicate, in fields and in words", async () => {
    const c = await collection([{ client: "a", key: "k1" }]);
    await c.createIndex({ client: 1, key: 1 }, { unique: true });
    const failure = await c.insertOne({ client: "a", key: "k1" }).catch((error) => error);
    expect(failure).toMatchObject({ keyPattern: { client: 1, key: 1 }, keyValue: { client: "a", key: "k1" } });
    expect(failure.message).toMatch(
      `E11000 duplicate key error collection: ${c.namespace} index: client_1_key_1 dup key: { client: "a", key: "k1" }`,
    );
  });

  it("reports a duplicate _id, of any type", async () => {
    const ids = [1, "x", new ObjectId(), new UUID(), { a: 1 }];
    const c = await collection(ids.map((_id) => ({ _id })));
    for (const _id of ids) await expect(c.insertOne({ _id } as never)).rejects.toMatchObject({ code: 11000 });
  });

  it("inserts one document for concurrent upserts of the same key", async () => {
    const c = await collection();
    await c.createIndex({ key: 1 }, { unique: true });
    // According to the manual, a concurrent update may get a duplicate-key error and has to be repeated.
    const upsert = async () => {
      const once = () => c.updateOne({ key: "one" }, { $inc: { n: 1 } }, { upsert: true });
      return once().catch((error) => (error.code === 11000 ? once() : Promise.reject(error)));
    };
    const results = await Promise.all(Array.from({ length: 50 }, upsert));
    expect(results.filter(({ upsertedCount }) => upsertedCount === 1)).toHaveLength(1);
    expect(await c.find().project({ _id: 0 }).toArray()).toEqual([{ key: "one", n: 50 }]);
  });

  it("treats null and missing as one key, except in sparse and partial indexes", async () => {
    const plain = await collection([{ a: 1 }]);
    await plain.createIndex({ k: 1 }, { unique: true });
    await expect(plain.insertOne({ k: null })).rejects.toMatchObject({ code: 11000 });
    const sparse = await collection([{ a: 1 }, { a: 2 }]);
    await sparse.createIndex({ k: 1 }, { unique: true, sparse: true });
    await sparse.insertOne({ k: null });
    await expect(sparse.insertOne({ k: null })).rejects.toMatchObject({ code: 11000 });
    const partial = await collection([
      { k: 1, state: "closed" },
      { k: 1, state: "open" },
    ]);
    await partial.createIndex({ k: 1 }, { unique: true, partialFilterExpression: { state: "open" } });
    await partial.insertOne({ k: 1, state: "closed" });
    await expect(partial.insertOne({ k: 1, state: "open" })).rejects.toMatchObject({ code: 11000 });
    await expect(partial.updateMany({ k: 1 }, { $set: { state: "open" } })).rejects.toMatchObject({ code: 11000 });
    await partial.updateOne({ state: "open" }, { $set: { state: "closed" } });
    await partial.insertOne({ k: 1, state: "open" });
  });

  it("indexes each element of an array once", async () => {
    const c = await collection([{ _id: 1, l: ["a", "b", "a"] }]);
    await c.createIndex({ l: 1 }, { unique: true });
    await expect(c.insertOne({ l: ["c", "b"] })).rejects.toMatchObject({ code: 11000 });
    await c.updateOne({ _id: 1 } as never, { $pull: { l: "b" } as never });
    await c.insertOne({ l: ["c", "b"] });
  });

  it("refuses to build over duplicates, and leaves no index", async () => {
    const c = await collection([{ k: 1 }, { k: 1 }]);
    await expect(c.createIndex({ k: 1 }, { unique: true })).rejects.toMatchObject({ code: expect.any(Number) });
    expect(await c.indexes()).toHaveLength(1);
    await c.insertOne({ k: 1 });
  });

  itUnlessFerretDb("reports duplicates during the build as a duplicate key", async () => {
    const c = await collection([{ k: 1 }, { k: 1 }]);
    await expect(c.createIndex({ k: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
  });
});

describe("compound indexes", () => {
  it("accepts documents with one array in a compound index", async () => {
    const c = await collection();
    await c.createIndex({ x: 1, y: 1 });
    await c.insertMany([
      { x: 1, y: [1, 2] },
      { x: [3, 4], y: 1 },
    ]);
    expect(await c.countDocuments({ x: 1, y: 2 })).toBe(1);
    expect(await c.countDocuments({ x: 4, y: 1 })).toBe(1);
  });

  itUnlessFerretDb("refuse documents with two arrays, of any length", async () => {
    const c = await collection();
    await c.createIndex({ x: 1, y: 1 });
    for (const [x, y] of [
      [[1], [2]],
      [
        [1, 2],
        [1, 2],
      ],
      [[], [1]],
    ]) {
      await expect(c.insertOne({ x, y })).rejects.toMatchObject({ code: 171 });
    }
  });
});

describe("the planner", () => {
  itUnlessFerretDb("uses an index for equality, $in, ranges and sorts, and scans without one", async () => {
    const c = await collection(Array.from({ length: 100 }, (_, n) => ({ n, g: n % 5, s: `s${n % 7}` })));
    await c.createIndex({ g: 1, n: -1 });
    await c.createIndex({ s: 1 });
    const stages = (filter: object, sort?: object) =>
      stagesOf(c.find(filter, sort && { sort: sort as never }).explain("queryPlanner"));
    for (const filter of [
      { g: 1 },
      { g: { $in: [1, 2] } },
      { g: 1, n: { $gt: 5, $lte: 40 } },
      { g: { $lt: 1 } },
      { s: "s1" },
    ]) {
      expect(await stages(filter)).toContain("IXSCAN");
    }
    expect(await stages({ other: 1 })).toContain("COLLSCAN");
    expect(await stages({ g: 1 }, { n: -1 })).not.toContain("SORT");
    expect(await stages({ g: 1 }, { n: 1 })).not.toContain("SORT");
    expect(await stages({ s: "s1" }, { n: 1 })).toContain("SORT");
    const { executionStats } = await c.find({ g: 1 }).sort({ n: -1 }).limit(3).explain("executionStats");
    expect(executionStats).toMatchObject({ nReturned: 3, totalDocsExamined: 3 });
  });

  itUnlessFerretDb(
    "takes an index in the order of the sort over a smaller one that holds the same documents",
    async () => {
      const c = await collection([]);
      await c.createIndex({ status: 1, ended: 1 }, { partialFilterExpression: { status: "failed" } });
      await c.createIndex({ status: 1, n: 1 });
      // As a queue does: each batch is pending until the next one has come, and one of 200 fails.
      const batch = 2_000;
      for (let start = 0; start <= 60_000; start += batch) {
        if (start < 60_000)
          await c.insertMany(Array.from({ length: batch }, (_, at) => ({ n: start + at, status: "pending" })));
        const earlier = { n: { $gte: start - batch, $lt: start } };
        await c.updateMany(
          { ...earlier, n: { ...earlier.n, $mod: [200, 0] } },
          { $set: { status: "failed", ended: start } },
        );
        await c.updateMany({ ...earlier, status: "pending" }, { $set: { status: "sent" } });
      }
      const { executionStats } = await c.find({ status: "failed" }).sort({ n: -1 }).limit(50).explain("executionStats");
      expect(executionStats).toMatchObject({ nReturned: 50, totalDocsExamined: 50 });
    },
  );

  const documents = Array.from({ length: 400 }, (_, _id) => ({
    _id,
    a: _id % 7,
    b: [null, "x", "y", 3.5, new Date(_id)][_id % 5],
    c: (_id * 37) % 101,
    ...(_id % 3 === 0 && { d: _id % 4 }),
    l: _id % 11 === 0 ? [_id % 5, _id % 6] : _id % 5,
  }));
  const filters: Filter<Document>[] = [
    { a: 3 },
    { a: 3, c: { $gte: 10, $lt: 60 } },
    { a: { $in: [1, 5, 99] }, c: { $gt: 50 } },
    { b: null },
    { b: { $gte: new Date(100) } },
    { b: { $in: ["x", null] }, a: { $gt: 2 } },
    { d: { $exists: true }, a: 2 },
    { d: { $lte: 1 } },
    { d: 2, c: { $lt: 80 } },
    { l: 4 },
    { l: { $gt: 1, $lt: 3 } },
    { l: { $in: [0, 5] } },
    { $or: [{ a: 1, c: { $lt: 20 } }, { d: 3 }] },
    { $and: [{ a: { $gte: 2 } }, { a: { $lt: 4 } }], c: { $ne: 5 } },
    { _id: { $gt: 100, $lte: 120 } as never },
  ];
  const sorts = [
    {},
    { c: 1 },
    { c: -1, _id: 1 },
    { a: 1, c: 1 },
    { a: -1, c: -1 },
    { d: 1, _id: 1 },
    { l: 1, _id: 1 },
    { _id: -1 },
  ];

  it("returns the same documents in the same order with and without indexes", async () => {
    const plain = await collection(documents);
    const indexed = await collection(documents);
    const indexes: IndexDescription[] = [
      { key: { a: 1, c: 1 } },
      { key: { c: -1 } },
      { key: { b: 1, a: -1 } },
      { key: { d: 1 }, sparse: true },
      { key: { d: -1, c: 1 }, partialFilterExpression: { d: { $gt: 0 } }, name: "partial" },
      { key: { l: 1 } },
    ];
    await indexed.createIndexes(indexes);
    for (const filter of filters) {
      expect(await idsOf(indexed, filter)).toEqual(await idsOf(plain, filter));
      for (const sort of sorts) {
        const [expected, found] = await Promise.all(
          [plain, indexed].map((c) =>
            c
              .find(filter)
              .sort(sort as never)
              .toArray(),
          ),
        );
        const keys = Object.keys(sort);
        const project = (list: typeof expected) => list?.map((doc) => keys.map((key) => doc[key] ?? null));
        if (!keys.includes("l")) expect(project(found)).toEqual(project(expected));
        if (keys.includes("_id")) expect(found?.map(({ _id }) => _id)).toEqual(expected?.map(({ _id }) => _id));
      }
    }
  });

  it("sorts by an array's least element even when the filter names another", async () => {
    const c = await collection([
      { _id: 1, l: [9, 5] },
      { _id: 2, l: [5, 1] },
      { _id: 3, l: 5 },
    ]);
    await c.createIndex({ l: 1 });
    expect((await c.find({ l: 5 }).sort({ l: 1, _id: 1 }).toArray()).map(({ _id }) => _id)).toEqual([2, 1, 3]);
  });

  it("maintains indexes through updates and deletes", async () => {
    const c = await collection(documents);
    await c.createIndexes([{ key: { a: 1, c: -1 } }, { key: { l: 1 } }, { key: { d: 1 }, sparse: true }]);
    await c.updateMany({ a: 3 }, { $set: { a: 4 }, $push: { m: 1 } as never });
    await c.updateMany({ d: 2 }, { $unset: { d: "" } });
    await c.updateMany({ _id: { $mod: [11, 0] } } as never, { $set: { l: [7, 8] } });
    await c.deleteMany({ c: { $lt: 30 } });
    const rest = await c.find().toArray();
    expect(await idsOf(c, { a: 4 })).toEqual(rest.filter(({ a }) => a === 4).map(({ _id }) => _id));
    expect(await idsOf(c, { a: 3 })).toEqual([]);
    expect(await idsOf(c, { d: 2 })).toEqual([]);
    expect(await idsOf(c, { l: 8 })).toEqual(rest.filter(({ _id }) => Number(_id) % 11 === 0).map(({ _id }) => _id));
  });
});

describe("index management", () => {
  it("creates, lists and drops indexes, and ignores an identical creation", async () => {
    const c = await collection([{ a: 1 }]);
    expect(await c.createIndex({ a: 1, "b.c": -1 }, { unique: true })).toBe("a_1_b.c_-1");
    await c.createIndex({ a: 1, "b.c": -1 }, { unique: true });
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 60, name: "ttl" });
    expect(await c.listIndexes().toArray()).toMatchObject([
      { v: 2, key: { _id: 1 }, name: "_id_" },
      { key: { a: 1, "b.c": -1 }, name: "a_1_b.c_-1", unique: true },
      { key: { at: 1 }, name: "ttl", expireAfterSeconds: 60 },
    ]);
    await c.dropIndex("ttl");
    await expect(c.dropIndex("ttl")).rejects.toMatchObject({ code: 27 });
    await c.dropIndexes();
    expect(await c.indexes()).toHaveLength(1);
    await expect(c.dropIndex("_id_")).rejects.toMatchObject({ code: 72 });
    await expect(db().collection("nowhere").indexes()).rejects.toMatchObject({ code: 26 });
  });

  it("refuses the same name or key with other options", async () => {
    const c = await collection();
    await c.createIndex({ a: 1 });
    await expect(c.createIndex({ a: 1 }, { name: "other" })).rejects.toMatchObject({ code: 85 });
    await expect(c.createIndex({ b: 1 }, { name: "a_1" })).rejects.toMatchObject({ code: 86 });
    await expect(c.createIndex({ a: 1 }, { unique: true })).rejects.toMatchObject({ code: 86 });
    await c.createIndex({ at: 1 }, { expireAfterSeconds: 5 });
    await expect(c.createIndex({ at: 1 }, { expireAfterSeconds: 6 })).rejects.toMatchObject({ code: 85 });
    await c.createIndex({ a: 1 }, { unique: true, name: "unique_a" });
    await expect(c.createIndex({ a: "nonsense" as never })).rejects.toMatchObject({ code: 67 });
  });

  it("creates, lists and drops collections and databases", async () => {
    const c = await collection([{ a: 1 }]);
    await db().createCollection("made");
    expect((await db().listCollections({ name: "made" }).toArray()).map(({ name }) => name)).toEqual(["made"]);
    const { databases } = await db().admin().listDatabases();
    expect(databases.map(({ name }) => name)).toContain(database);
    expect(await db().command({ collStats: c.collectionName })).toMatchObject({ count: 1, nindexes: 1 });
    expect(await db().stats()).toMatchObject({ db: database });
    await c.drop();
    expect(await c.countDocuments()).toBe(0);
    await expect(db().admin().ping()).resolves.toMatchObject({ ok: 1 });
    expect((await db().admin().buildInfo()).version).toMatch(/^\d+\.\d+/);
  });
});
