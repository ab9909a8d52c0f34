import { ObjectId, UUID } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect, itUnlessFerretDb } from "./connect.ts";

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
    await expect(c.updateOne({ _id: 2 }, { $set: { key: "k1" } })).rejects.toMatchObject(duplicate);
    await expect(c.replaceOne({ _id: 2 }, { client: "a", key: "k1" })).rejects.toMatchObject(duplicate);
    const insertsTwin = c.updateOne({ _id: 3 }, { $set: { client: "a", key: "k1" } }, { upsert: true });
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
    for (const _id of ids) await expect(c.insertOne({ _id })).rejects.toMatchObject({ code: 11000 });
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
    // @ts-expect-error The driver permits $pull only on fields that it knows as lists.
    await c.updateOne({ _id: 1 }, { $pull: { l: "b" } });
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
    // @ts-expect-error There is no such kind of index.
    await expect(c.createIndex({ a: "nonsense" })).rejects.toMatchObject({ code: 67 });
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
