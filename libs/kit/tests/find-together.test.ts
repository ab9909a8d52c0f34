import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Connection, type Model, Schema } from "mongoose";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { collectionOf } from "../src/store/collection-of.ts";
import { connectMongo } from "../src/store/connect.ts";
import { createFindTogether } from "../src/store/find-together.ts";

type Item = { readonly _id: string; readonly name: string; readonly history: readonly string[] };

let mongo: TestMongo;
let connection: Connection;
let model: Model<Item>;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  model = connection.model<Item>("Item", new Schema<Item>({ _id: String, name: String, history: [String] }));
  await collectionOf(model).insertMany(
    Array.from({ length: 120 }, (_, index) => ({ _id: `${index}`, name: `item ${index}`, history: ["made"] })),
  );
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

test("finds the documents of concurrent calls by one command, each call its own", async () => {
  const find = createFindTogether(model, { history: 0 });
  const finds = vi.spyOn(model.collection, "find");
  const ids = [...Array.from({ length: 120 }, (_, index) => `${index}`), "3", "absent"];
  const found = await Promise.all(ids.map(find));
  expect(found).toEqual(ids.map((id) => (id === "absent" ? null : { _id: id, name: `item ${id}` })));
  expect(finds).toHaveBeenCalledTimes(1);
  finds.mockRestore();
});

test("returns nothing older than the call, although an earlier command is in flight", async () => {
  const find = createFindTogether(model, {});
  const earlier = find("7");
  await new Promise(setImmediate);
  await collectionOf(model).updateOne({ _id: "7" }, { $set: { name: "changed" } });
  expect(await find("7")).toMatchObject({ name: "changed" });
  await earlier;
});

test("fails every call of a command that fails, and none of the next one", async () => {
  const find = createFindTogether(model, {});
  vi.spyOn(model.collection, "find").mockImplementationOnce(() => {
    throw new Error("the database is away");
  });
  const failed = await Promise.allSettled([find("1"), find("2")]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await find("1")).toMatchObject({ name: "item 1" });
});
