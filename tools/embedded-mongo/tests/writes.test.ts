import {
  Binary,
  Decimal128,
  Double,
  Long,
  MongoBulkWriteError,
  MongoClient,
  MongoServerError,
  ObjectId,
  Timestamp,
  UUID,
} from "mongodb";
import { describe, expect, it } from "vitest";
import { connect, itUnlessFerretDb } from "./connect.ts";

const { client, collection, database, db, uri } = connect();

describe("a long bulk", () => {
  const length = 20_000;

  it("stops an ordered bulk at a late first error", async () => {
    const c = await collection([{ _id: 15_000 }]);
    const documents = Array.from({ length }, (_, _id) => ({ _id: _id }));
    await expect(c.insertMany(documents)).rejects.toMatchObject({ code: 11000, insertedCount: 15_000 });
    expect(await c.countDocuments({})).toBe(15_001);
  });
});

describe("insert and delete", () => {
  it("returns every value with its original type", async () => {
    const document = {
      _id: new ObjectId(),
      long: Long.fromString("9223372036854775807"),
      double: new Double(3),
      decimal: Decimal128.fromString("12345678901234567890.123"),
      uuid: new UUID(),
      binary: new Binary(Buffer.from([0, 255, 7]), 128),
      date: new Date(-1),
      timestamp: new Timestamp({ t: 1, i: 2 }),
      regex: /a.b/i,
      nested: { $set: 1, "a.b": [{ deep: null }], "": "empty", "1": "digit" },
      list: [],
      text: "zero \0 and \u{1f600}",
    };
    const c = await collection();
    await c.insertOne(document);
    const found = await c.findOne({}, { promoteValues: false, bsonRegExp: false });
    expect(found).toMatchObject({
      long: document.long,
      double: document.double,
      decimal: document.decimal,
      uuid: document.uuid,
    });
    expect(found).toMatchObject({ date: document.date, timestamp: document.timestamp, text: document.text, list: [] });
    expect(found?.binary.sub_type).toBe(128);
    expect(found?.nested).toMatchObject({ $set: { value: 1 }, "a.b": [{ deep: null }], "": "empty", "1": "digit" });
    expect((await c.findOne())?.regex).toEqual(/a.b/i);
  });

  it("stores a field named __proto__ as data", async () => {
    const c = await collection([JSON.parse('{"_id":1,"v":{"__proto__":{"x":1}}}')]);
    await c.updateOne({}, { $set: { touched: true } });
    const found = await c.findOne();
    expect(Object.keys(found?.v)).toEqual(["__proto__"]);
    expect(JSON.stringify(found?.v)).toBe('{"__proto__":{"x":1}}');
  });

  it("stores _id first, and generates a missing one", async () => {
    const c = await collection();
    await db().command({ insert: c.collectionName, documents: [{ a: 1 }, { b: 2, _id: 7 }] });
    const found = await c.find().sort({ a: -1 }).toArray();
    expect(found.map(Object.keys)).toEqual([
      ["_id", "a"],
      ["_id", "b"],
    ]);
    expect(found[0]?._id).toBeInstanceOf(ObjectId);
  });

  itUnlessFerretDb("refuses an array as _id with InvalidIdField", async () => {
    const c = await collection();
    await expect(c.insertOne({ _id: [1] })).rejects.toMatchObject({ code: 53 });
  });

  it("rejects an update that would exceed 16 MiB", async () => {
    const c = await collection([{ _id: 1, a: "x".repeat(9_000_000) }]);
    const grown = c.updateOne({}, { $set: { b: "x".repeat(9_000_000) } });
    await expect(grown).rejects.toMatchObject({ code: expect.any(Number) });
    expect(await c.countDocuments({ b: { $exists: true } })).toBe(0);
  });

  it("deletes one or many", async () => {
    const c = await collection([{ a: 1 }, { a: 1 }, { a: 2 }]);
    expect(await c.deleteOne({ a: 1 })).toMatchObject({ deletedCount: 1 });
    expect(await c.deleteMany({})).toMatchObject({ deletedCount: 2 });
  });

  it("accepts the write concern and read options of drivers", async () => {
    const c = await collection();
    await c.insertOne({ _id: 2 }, { writeConcern: { w: "majority", j: true, wtimeoutMS: 1000 } });
    expect(
      await c.find({}, { readConcern: "majority", maxTimeMS: 1000, hint: "_id_", comment: "why" }).toArray(),
    ).toHaveLength(1);
  });

  it("performs an unacknowledged write", async () => {
    const c = await collection();
    const other = await MongoClient.connect(uri(), { maxPoolSize: 1 });
    await other
      .db(database)
      .collection<{ _id: number }>(c.collectionName)
      .insertOne({ _id: 1 }, { writeConcern: { w: 0 } });
    await expect.poll(() => c.countDocuments()).toBe(1);
    await other.close();
  });

  itUnlessFerretDb("sends no reply to an unacknowledged write", async () => {
    // The test uses a separate client, because the driver would mistake an unexpected response for the response to its next command.
    const other = await MongoClient.connect(uri(), { maxPoolSize: 1 });
    try {
      const c = other.db(database).collection<{ _id: number }>("unacknowledged");
      await c.insertOne({ _id: 1 }, { writeConcern: { w: 0 } });
      expect(await other.db(database).command({ ping: 1 })).not.toHaveProperty("n");
    } finally {
      await other.close();
    }
  });
});

describe("bulk writes", () => {
  it("stops an ordered bulk at its first error and reports its index", async () => {
    const c = await collection([{ _id: 2 }]);
    const failure = await c.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]).catch((error) => error);
    expect(failure).toBeInstanceOf(MongoBulkWriteError);
    expect(failure).toMatchObject({ code: 11000, result: { insertedCount: 1 } });
    expect(failure.writeErrors.map(({ index, code }: { index: number; code: number }) => [index, code])).toEqual([
      [1, 11000],
    ]);
    expect(await c.countDocuments()).toBe(2);
  });

  it("continues an unordered bulk of mixed writes after an error", async () => {
    const c = await collection([{ _id: 2 }]);
    const failure = await c
      .bulkWrite(
        [
          { insertOne: { document: { _id: 2 } } },
          { insertOne: { document: { _id: 3 } } },
          { updateOne: { filter: { _id: 9 }, update: { $set: { a: 1 } }, upsert: true } },
          { updateMany: { filter: {}, update: { $inc: { n: 1 } } } },
          { replaceOne: { filter: { _id: 3 }, replacement: { r: 1 } } },
          { deleteOne: { filter: { _id: 2 } } },
        ],
        { ordered: false },
      )
      .catch((error) => error);
    expect(failure.writeErrors).toHaveLength(1);
    expect(failure.result).toMatchObject({ insertedCount: 1, upsertedCount: 1, deletedCount: 1 });
    expect(failure.result.upsertedIds).toEqual({ 2: 9 });
    expect(await c.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 3, r: 1 },
      { _id: 9, a: 1, n: 1 },
    ]);
  });

  it("accepts bulks of thousands of statements", async () => {
    const c = await collection();
    const result = await c.insertMany(Array.from({ length: 5000 }, (_, n) => ({ n })));
    expect(result.insertedCount).toBe(5000);
    expect(await c.countDocuments({ n: { $gte: 4990 } })).toBe(10);
  });
});

describe("findAndModify", () => {
  it("returns the projected document before or after an update, chosen by a sort", async () => {
    const c = await collection([
      { _id: 1, n: 1, x: 1 },
      { _id: 2, n: 2, x: 1 },
    ]);
    expect(await c.findOneAndUpdate({ x: 1 }, { $inc: { n: 10 } }, { sort: { n: -1 } })).toEqual({
      _id: 2,
      n: 2,
      x: 1,
    });
    const options = { returnDocument: "after", projection: { n: 1, _id: 0 } } as const;
    expect(await c.findOneAndUpdate({ _id: 2 }, { $inc: { n: 10 } }, options)).toEqual({ n: 22 });
    expect(await c.findOneAndReplace({ _id: 2 }, { r: 1 }, { returnDocument: "after" })).toEqual({
      _id: 2,
      r: 1,
    });
    expect(await c.findOneAndDelete({ _id: 2 })).toEqual({ _id: 2, r: 1 });
    expect(await c.findOneAndDelete({ _id: 2 })).toBeNull();
    expect(await c.findOneAndUpdate({ _id: 2 }, { $set: { a: 1 } })).toBeNull();
  });

  it("reports an upsert in its metadata", async () => {
    const c = await collection();
    const options = { upsert: true, includeResultMetadata: true } as const;
    const made = await c.findOneAndUpdate({ k: 1 }, { $set: { a: 1 } }, options);
    expect(made).toMatchObject({
      value: null,
      lastErrorObject: { n: 1, updatedExisting: false, upserted: expect.any(ObjectId) },
    });
    const again = await c.findOneAndUpdate({ k: 1 }, { $set: { a: 2 } }, { ...options, returnDocument: "after" });
    expect(again).toMatchObject({ value: { k: 1, a: 2 }, lastErrorObject: { n: 1, updatedExisting: true } });
  });

  it("uses array filters and refuses contradictory forms", async () => {
    const c = await collection([{ _id: 1, l: [{ k: 1 }, { k: 2 }] }]);
    const changed = await c.findOneAndUpdate(
      {},
      { $set: { "l.$[e].d": 1 } },
      { arrayFilters: [{ "e.k": 2 }], returnDocument: "after" },
    );
    expect(changed?.l).toEqual([{ k: 1 }, { k: 2, d: 1 }]);
    const both = db().command({ findAndModify: c.collectionName, query: {}, remove: true, update: { $set: { a: 1 } } });
    await expect(both).rejects.toMatchObject({ code: 9 });
  });

  it("gives each of 50 concurrent claimers a different document", async () => {
    const c = await collection(Array.from({ length: 50 }, (_, _id) => ({ _id, state: "queued", due: 50 - _id })));
    await c.createIndex({ state: 1, due: 1 });
    const claim = (owner: number) =>
      c.findOneAndUpdate(
        { state: "queued", due: { $lte: 99 } },
        { $set: { state: "leased", owner } },
        { sort: { due: 1 } },
      );
    const claimed = await Promise.all(Array.from({ length: 50 }, (_, owner) => claim(owner)));
    expect(new Set(claimed.map((document) => document?._id)).size).toBe(50);
    expect(await claim(50)).toBeNull();
  });
});

describe("sessions", () => {
  it("accepts sessions", async () => {
    const session = client().startSession();
    const c = client().db(database).collection<{ _id: number }>("in_session");
    await c.insertOne({ _id: 1 }, { session });
    expect(await c.findOne({}, { session })).toEqual({ _id: 1 });
    await session.endSession();
  });

  it("returns CommandNotFound for an unknown command", async () => {
    const failure = await db()
      .command({ noSuchCommand: 1 })
      .catch((error) => error);
    expect(failure).toBeInstanceOf(MongoServerError);
    expect(failure).toMatchObject({ code: 59, codeName: "CommandNotFound" });
  });
});
