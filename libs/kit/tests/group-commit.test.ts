import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Connection, type Model, Schema } from "mongoose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectMongo } from "../src/store/connect.ts";
import { createGroupCommit } from "../src/store/group-commit.ts";
import { buildIndexes } from "../src/store/schema.ts";
import { isDuplicateKey, isStoreFailure } from "../src/store/store-failure.ts";

type Item = { _id: string; owner: string; key: string; place?: number };

let mongo: TestMongo;
let connection: Connection;
let model: Model<Item>;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  const schema = new Schema<Item>({ _id: String, owner: String, key: String, place: Number }, { collection: "items" });
  schema.index({ owner: 1, key: 1 }, { unique: true });
  schema.index({ owner: 1, place: -1 }, { unique: true, partialFilterExpression: { place: { $exists: true } } });
  model = connection.model<Item>("Item", schema);
  await buildIndexes(connection);
});
beforeEach(async () => {
  await model.collection.deleteMany({});
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const item = (id: number, fields: Partial<Item> = {}): Item => ({ _id: `${id}`, owner: "o", key: `k${id}`, ...fields });

/** Counts the insert commands that reach the driver while `act` runs. */
async function insertsDuring(act: () => Promise<unknown>): Promise<number> {
  const insertMany = model.collection.insertMany;
  let count = 0;
  model.collection.insertMany = function (this: typeof model.collection, ...args: Parameters<typeof insertMany>) {
    count += 1;
    return insertMany.apply(this, args);
  } as typeof insertMany;
  await act();
  model.collection.insertMany = insertMany;
  return count;
}

describe("group commit", () => {
  test("sends the inserts of one event-loop tick in one command", async () => {
    const group = createGroupCommit(model);
    const count = await insertsDuring(() =>
      Promise.all(Array.from({ length: 100 }, (_, id) => group.insert(item(id)))),
    );
    expect(count).toBe(1);
    expect(await model.countDocuments()).toBe(100);
  });

  test("fails only the duplicate, with code 11000", async () => {
    const group = createGroupCommit(model);
    const results = await Promise.allSettled([
      group.insert(item(1)),
      group.insert(item(2, { key: "k1" })),
      group.insert(item(3, { place: 1 })),
      group.insert(item(4, { place: 1 })),
      group.insert(item(5)),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    const reasons = results.map((result) => (result.status === "rejected" ? result.reason : null));
    expect([reasons[1], reasons[3]].map(isDuplicateKey)).toEqual([true, true]);
  });

  test("finds the failed documents if a server rejects a bulk write with one error", async () => {
    const group = createGroupCommit(model);
    await group.insert(item(1));
    mongo.fail({ command: "insert", code: 11000, message: "Duplicate key violation", times: 1 });
    const results = await Promise.allSettled([group.insert(item(2)), group.insert(item(3, { key: "k1" }))]);
    expect(mongo.failures()).toBe(1);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(isDuplicateKey((results[1] as PromiseRejectedResult).reason)).toBe(true);
  });

  test("limits the documents of one command", async () => {
    const group = createGroupCommit(model, { documentsMax: 10 });
    const count = await insertsDuring(() => Promise.all(Array.from({ length: 95 }, (_, id) => group.insert(item(id)))));
    expect(count).toBe(10);
    expect(await model.countDocuments()).toBe(95);
  });

  test("batches documents that arrive while the maximum number of commands is in flight", async () => {
    const group = createGroupCommit(model, { commandsMax: 1 });
    const count = await insertsDuring(async () => {
      const first = group.insert(item(0));
      await new Promise((resolve) => setImmediate(resolve));
      const later = [];
      for (let id = 1; id <= 20; id += 1) {
        later.push(group.insert(item(id)));
        await Promise.resolve();
      }
      await Promise.all([first, ...later]);
    });
    expect(count).toBe(2);
  });

  test("fails every document of a command that fails as a whole", async () => {
    const group = createGroupCommit(model);
    const circular: Item & { self?: unknown } = item(2);
    circular.self = circular;
    const results = await Promise.allSettled([group.insert(item(1)), group.insert(circular)]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await model.countDocuments()).toBe(0);
  });

  test("distinguishes between a database that is lost during a command and one that rejects the command", async () => {
    let isCut = false;
    const { hostname, port } = new URL(mongo.uri);
    const proxy = createServer((client) => {
      const server = connect({ host: hostname, port: Number(port) });
      for (const socket of [client, server]) socket.on("error", () => {});
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
      client.on("data", (chunk) => (isCut ? client.destroy() : server.write(chunk)));
      server.on("data", (chunk) => client.write(chunk));
    }).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const uri = new URL(mongo.uri);
    uri.port = String((proxy.address() as AddressInfo).port);
    const disturbed = await connectMongo({ uri: uri.href, database: mongo.database });
    const group = createGroupCommit(disturbed.model("Item", model.schema));
    await group.insert(item(1));
    isCut = true;
    const failure = await group.insert(item(2)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isStoreFailure(failure)).toBe(true);
    await disturbed.close(true);
    proxy.close();
  });
});
