import type { Filter, IndexDescription, SortDirection } from "mongodb";
import { describe, expect, it } from "vitest";
import { connect, idsOf, itUnlessFerretDb, stagesOf, type TestDocument } from "./connect.ts";

const { collection } = connect();

describe("the planner", () => {
  itUnlessFerretDb("uses an index for equality, $in, ranges and sorts, and scans without one", async () => {
    const c = await collection(Array.from({ length: 100 }, (_, n) => ({ n, g: n % 5, s: `s${n % 7}` })));
    await c.createIndex({ g: 1, n: -1 });
    await c.createIndex({ s: 1 });
    const stages = (filter: object, sort?: Readonly<Record<string, SortDirection>>) =>
      stagesOf(c.find(filter, sort && { sort }).explain("queryPlanner"));
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
      // The documents change as in a queue: each batch is pending until the next one arrives, and one document in 200 fails.
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
  const filters: Filter<TestDocument>[] = [
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
    { _id: { $gt: 100, $lte: 120 } },
  ];
  const sorts: Readonly<Record<string, SortDirection>>[] = [
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
        const [expected, found] = await Promise.all([plain, indexed].map((c) => c.find(filter).sort(sort).toArray()));
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
    // @ts-expect-error The driver permits $push only on fields that it knows as lists.
    await c.updateMany({ a: 3 }, { $set: { a: 4 }, $push: { m: 1 } });
    await c.updateMany({ d: 2 }, { $unset: { d: "" } });
    await c.updateMany({ _id: { $mod: [11, 0] } }, { $set: { l: [7, 8] } });
    await c.deleteMany({ c: { $lt: 30 } });
    const rest = await c.find().toArray();
    expect(await idsOf(c, { a: 4 })).toEqual(rest.filter(({ a }) => a === 4).map(({ _id }) => _id));
    expect(await idsOf(c, { a: 3 })).toEqual([]);
    expect(await idsOf(c, { d: 2 })).toEqual([]);
    expect(await idsOf(c, { l: 8 })).toEqual(rest.filter(({ _id }) => Number(_id) % 11 === 0).map(({ _id }) => _id));
  });
});
