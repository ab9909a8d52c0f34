import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { Schema } from "mongoose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { collectionOf } from "../src/store/collection-of.ts";
import { connectMongo } from "../src/store/connect.ts";
import { addOnce, addReport } from "../src/store/counted-reports.ts";

type CountDocument = {
  readonly _id: string;
  readonly owner: string;
  readonly count: number;
  readonly reports: Readonly<Record<string, number>>;
};

const schema = new Schema<CountDocument>(
  { _id: String, owner: String, count: Number, reports: Schema.Types.Mixed },
  { collection: "counts", versionKey: false },
);

let mongo: TestMongo;
let connection: Awaited<ReturnType<typeof connectMongo>>;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const counts = () => collectionOf(connection.model<CountDocument>("Count", schema));
const addition = (owner: string, count: number) => ({ id: owner, counts: { count }, fields: { owner } });
const countOf = async (id: string) => (await counts().findOne({ _id: id }))?.count;

it("adds a report once when copies of it arrive concurrently with reports of other processes", async () => {
  const report = { reporterId: "a".repeat(32), sequence: 1 };
  const copies = Array.from({ length: 5 }, () => addReport(counts(), report, [addition("copies", 2)]));
  const others = ["b", "c"].map((one) =>
    addReport(counts(), { reporterId: one.repeat(32), sequence: 1 }, [addition("copies", 10)]),
  );
  await Promise.all([...copies, ...others]);
  expect(await countOf("copies")).toBe(22);
});

it("adds the rest of an interrupted report, and nothing of an earlier report that arrives late", async () => {
  const reporterId = "d".repeat(32);
  await addReport(counts(), { reporterId, sequence: 1 }, [addition("first", 1)]);
  await addReport(counts(), { reporterId, sequence: 1 }, [addition("first", 1), addition("second", 1)]);
  await addReport(counts(), { reporterId, sequence: 2 }, [addition("first", 4)]);
  await addReport(counts(), { reporterId, sequence: 1 }, [addition("first", 1)]);
  expect([await countOf("first"), await countOf("second")]).toEqual([5, 1]);
});

it("adds a report with more documents than are written concurrently", async () => {
  const owners = Array.from({ length: 51 }, (_, index) => `many-${index}`);
  const report = { reporterId: "e".repeat(32), sequence: 1 };
  await addReport(
    counts(),
    report,
    owners.map((owner) => addition(owner, 1)),
  );
  expect(await counts().countDocuments({ owner: { $in: owners } })).toBe(51);
});

it("adds a report after another process has inserted the document during its upsert", async () => {
  await addReport(counts(), { reporterId: "f".repeat(32), sequence: 1 }, [addition("raced", 3)]);
  // A server responds in this way if both updates found no document. It does not retry by itself if the filter has a
  // condition on another field.
  mongo.fail({ command: "update", collection: "counts", code: 11000, message: "duplicate", times: 1 });
  await addReport(counts(), { reporterId: "0".repeat(32), sequence: 1 }, [addition("raced", 4)]);
  expect(mongo.failures()).toBe(1);
  expect(await countOf("raced")).toBe(7);
});

it("rejects if the store fails, so that the addition is sent again", async () => {
  mongo.fail({ command: "update", collection: "counts", code: 8000, message: "no", times: 20 });
  const failed = addOnce(counts(), "failing", { count: { $exists: false } }, { $set: { count: 1 } });
  await expect(failed).rejects.toThrow();
});
