import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { createConnection, Schema } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectMongo } from "../src/store/connect.ts";
import { isReadLimitError, withReadLimit } from "../src/store/read-limit.ts";

let mongo: TestMongo;
let connection: ReturnType<typeof createConnection>;
const limits: unknown[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
  // Connecting once installs the limit. The connection of the test also records its commands.
  await (await connectMongo({ uri: mongo.uri, database: mongo.database })).close();
  connection = createConnection(mongo.uri, { dbName: mongo.database, monitorCommands: true });
  await connection.asPromise();
  model = modelOn(connection);
  connection.getClient().on("commandStarted", ({ command }) => limits.push(command.maxTimeMS));
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const schema = new Schema({ number: Number });
const modelOn = (on: typeof connection) => on.model("Thing", schema);
let model: ReturnType<typeof modelOn>;
const things = () => model;
/** All methods by which stores read. */
const reads: Readonly<Record<string, () => Promise<unknown>>> = {
  "mongoose find": () => things().find({}).lean(),
  "mongoose findOne": () => things().findOne({}),
  "mongoose count": () => things().countDocuments({}),
  "mongoose aggregate": () => things().aggregate([{ $match: {} }]),
  "the driver's find": () => things().collection.find({}).toArray(),
  "the driver's findOne": () => things().collection.findOne({}),
  "the driver's distinct": () => things().collection.distinct("number"),
  "a collection by name": () => connection.collection("things").find({}, { limit: 1 }).toArray(),
};

test.each(Object.entries(reads))("limits a read by %s within an operator's call, and no other", async (_, read) => {
  limits.length = 0;
  // The query is awaited inside the function, because mongoose runs a query only when it is awaited.
  await withReadLimit(1_234, async () => await read());
  await read();
  expect(limits).toEqual([1_234, undefined]);
});

test("keeps a read's own limit, and limits no writes", async () => {
  limits.length = 0;
  await withReadLimit(1_234, async () => {
    await things().collection.find({}, { maxTimeMS: 7_000 }).toArray();
    await things().collection.insertOne({ number: 1 });
  });
  expect(limits).toEqual([7_000, undefined]);
});

test("recognizes the database's error for an exceeded limit", async () => {
  const many = Array.from({ length: 25_000 }, (_, number) => ({ number, text: `text ${number}` }));
  await connection.collection("many").insertMany(many);
  const slow = { text: { $regex: "(t|e|x)+ [0-9]*[a-z]$" } };
  const error = await withReadLimit(1, () => connection.collection("many").find(slow).toArray()).catch(
    (e: unknown) => e,
  );
  expect(isReadLimitError(error)).toBe(true);
});
