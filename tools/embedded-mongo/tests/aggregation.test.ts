import { Long, ObjectId, UUID } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect } from "./connect.ts";

const { collection, db } = connect();

describe("aggregate", () => {
  it("returns documents unchanged through $match, $sort, $skip and $limit", async () => {
    const c = await collection([1, 2, 3, 4].map((n) => ({ _id: n, n: Long.fromNumber(n), at: new Date(n) })));
    const pipeline = [{ $match: { n: { $gt: 1 } } }, { $sort: { n: -1 } }, { $skip: 1 }, { $limit: 1 }];
    expect(await c.aggregate(pipeline, { promoteLongs: false }).toArray()).toEqual([
      { _id: 3, n: Long.fromNumber(3), at: new Date(3) },
    ]);
    expect(
      await c.aggregate([{ $match: { n: { $gt: 1 } } }, { $match: { n: { $lt: 4 } } }, { $count: "n" }]).toArray(),
    ).toEqual([{ n: 2 }]);
    expect(
      await c
        .aggregate([{ $sort: { _id: 1 } }, { $limit: 2 }, { $sort: { _id: -1 } }, { $project: { _id: 1 } }])
        .toArray(),
    ).toEqual([{ _id: 2 }, { _id: 1 }]);
  });

  it("groups by ids, UUIDs and expressions, with the usual accumulators", async () => {
    const [first, second] = [new UUID(), new UUID()];
    const owner = new ObjectId();
    const c = await collection([
      { client: first, n: 1, owner },
      { client: new UUID(first.toHexString()), n: Long.fromNumber(2), owner: new ObjectId(owner.toHexString()) },
      { client: second, n: 3.5, owner },
    ]);
    const byClient = await c
      .aggregate([
        {
          $group: {
            _id: "$client",
            total: { $sum: "$n" },
            count: { $sum: 1 },
            least: { $min: "$n" },
            all: { $push: "$n" },
          },
        },
        { $sort: { total: 1 } },
      ])
      .toArray();
    expect(byClient).toEqual([
      { _id: first, total: 3, count: 2, least: 1, all: [1, 2] },
      { _id: second, total: 3.5, count: 1, least: 3.5, all: [3.5] },
    ]);
    expect(await c.aggregate([{ $group: { _id: "$owner", n: { $sum: 1 } } }]).toArray()).toEqual([
      { _id: owner, n: 3 },
    ]);
    expect(
      await c.aggregate([{ $group: { _id: null, average: { $avg: "$n" }, most: { $max: "$n" } } }]).toArray(),
    ).toMatchObject([{ most: 3.5 }]);
  });

  it("unwinds, adds fields, looks up other collections by ObjectId, and facets", async () => {
    const other = await collection([{ _id: 1, name: "one" }]);
    const id = new ObjectId();
    await other.insertOne({ _id: id, name: "by id" });
    const c = await collection([
      { _id: 1, tags: ["a", "b"], ref: id },
      { _id: 2, tags: ["b"], ref: 1 },
    ]);
    const counted = await c.aggregate([{ $unwind: "$tags" }, { $sortByCount: "$tags" }]).toArray();
    expect(counted).toEqual([
      { _id: "b", count: 2 },
      { _id: "a", count: 1 },
    ]);
    const joined = await c
      .aggregate([
        { $lookup: { from: other.collectionName, localField: "ref", foreignField: "_id", as: "refs" } },
        { $set: { name: { $first: "$refs.name" }, upper: { $toUpper: { $first: "$tags" } } } },
        { $sort: { _id: 1 } },
        { $project: { name: 1, upper: 1 } },
      ])
      .toArray();
    expect(joined).toEqual([
      { _id: 1, name: "by id", upper: "A" },
      { _id: 2, name: "one", upper: "B" },
    ]);
    const [facets] = await c
      .aggregate([{ $facet: { all: [{ $count: "n" }], one: [{ $match: { _id: 1 } }, { $project: { _id: 1 } }] } }])
      .toArray();
    expect(facets).toEqual({ all: [{ n: 2 }], one: [{ _id: 1 }] });
  });

  it("leaves the stored documents unchanged", async () => {
    const c = await collection([{ _id: 1, a: { b: [1] } }]);
    await c.aggregate([{ $set: { "a.c": 1, "a.b": 2 } }, { $unset: "a.b" }]).toArray();
    expect(await c.findOne()).toEqual({ _id: 1, a: { b: [1] } });
  });

  it("returns its result in batches, and an empty result for a missing collection", async () => {
    const c = await collection(Array.from({ length: 300 }, (_, n) => ({ n })));
    expect(await c.aggregate([{ $project: { n: 1 } }], { batchSize: 7 }).toArray()).toHaveLength(300);
    expect(
      await db()
        .collection("not_there")
        .aggregate([{ $group: { _id: "$a" } }])
        .toArray(),
    ).toEqual([]);
  });

  it("refuses unknown stages and expressions", async () => {
    const c = await collection([{ a: 1 }]);
    for (const stage of [
      { $nope: 1 },
      { $project: { x: { $nope: 1 } } },
      { $group: { _id: 1, x: { $nope: 1 } } },
      { $match: { a: { $nope: 1 } } },
    ]) {
      await expect(c.aggregate([stage]).toArray()).rejects.toMatchObject({ name: "MongoServerError" });
    }
    await expect(c.aggregate([{ $limit: 0 }]).toArray()).rejects.toMatchObject({ code: 15958 });
    await expect(c.aggregate([{ $match: {}, $limit: 1 }]).toArray()).rejects.toMatchObject({ code: 40323 });
  });
});
