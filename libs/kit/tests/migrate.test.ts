import { randomBytes } from "node:crypto";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { type Connection, Schema } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { silentLogger } from "../src/process/logger.ts";
import { migrate } from "../src/service/migrate.ts";
import { openStorage, type ServiceStorage } from "../src/service/storage.ts";
import { connectMongo } from "../src/store/connect.ts";
import { awaitSchema, missingSchema } from "../src/store/schema.ts";

let mongo: TestMongo;
let database: string;
beforeAll(async () => {
  mongo = await startTestMongo();
});
beforeEach(() => {
  database = `${mongo.database}_${randomBytes(3).toString("hex")}`;
});
afterAll(() => mongo.close());

const keyring = { current: new Uint8Array(32), previous: [] };
const config = () => ({ mongo: { uri: mongo.uri, database, autoIndex: false }, keyring });
/** Returns the stores of one version of a service. */
const storageOf = (...fields: string[]): ServiceStorage => ({
  openStores: (connection) => {
    for (const name of ["first", "second"]) {
      const schema = new Schema({ project_client_id: String, at: Date, by: String }, { collection: name });
      for (const field of fields) schema.index({ [field]: 1 });
      connection.model(name, schema);
    }
  },
  sharding: { first: { key: { project_client_id: 1 } }, second: { unsharded: "few" } },
  sealed: [],
});
const migrated = async (storage: ServiceStorage, args: readonly string[] = []): Promise<string[]> => {
  const lines: string[] = [];
  await migrate(config(), storage, { args, say: (line) => lines.push(line) });
  return lines;
};
/** Runs `work` while a process of the given version is connected. */
const withVersion = async <T>(storage: ServiceStorage, work: (connection: Connection) => Promise<T>): Promise<T> => {
  const connection = await connectMongo({ uri: mongo.uri, database });
  try {
    openStorage(storage, connection, keyring);
    return await work(connection);
  } finally {
    await connection.close();
  }
};

test("builds the indexes of every collection, and reports each finished collection", async () => {
  expect(await migrated(storageOf("at"))).toEqual([
    "indexes of first are built (1 of 3)",
    "indexes of second are built (2 of 3)",
    "indexes of put_off_work are built (3 of 3)",
  ]);
  const names = await withVersion(storageOf("at"), (connection) => connection.collection("first").indexes());
  expect(names.map(({ name }) => name)).toEqual(["_id_", "at_1"]);
});

test("succeeds when two run concurrently, and when one runs again", async () => {
  await Promise.all([migrated(storageOf("at", "by")), migrated(storageOf("at", "by"))]);
  await migrated(storageOf("at", "by"));
  expect(await withVersion(storageOf("at", "by"), missingSchema)).toEqual([]);
});

test("blocks a version's process until the migration of that version is done", async () => {
  await migrated(storageOf("at"));
  await withVersion(storageOf("at", "by"), async (connection) => {
    expect(await missingSchema(connection)).toEqual(["first", "second"]);
    let isReady = false;
    const waiting = awaitSchema(connection, silentLogger(), 10).then(() => {
      isReady = true;
    });
    // The previous version continues to run meanwhile, and may be started again.
    expect(await withVersion(storageOf("at"), missingSchema)).toEqual([]);
    expect(isReady).toBe(false);
    await migrated(storageOf("at", "by"));
    await waiting;
  });
  expect(await withVersion(storageOf("at"), missingSchema)).toEqual([]);
});

test("prints the sharding commands without sending them to the server, and refuses to run them on a server that is not a mongos", async () => {
  const zone = ["--zone", "eu=0198f2a4-7c1e-7d2b-9a3c-5e6f70819203"];
  expect(await migrated(storageOf("project_client_id"), ["--shard", "--dry-run", ...zone])).toEqual([
    `{"shardCollection":"${database}.first","key":{"project_client_id":1}}`,
    `{"updateZoneKeyRange":"${database}.first","min":{"project_client_id":"0198f2a4-7c1e-7d2b-9a3c-5e6f70819203"},"max":{"project_client_id":"0198f2a4-7c1e-7d2b-9a3c-5e6f70819203\\u0000"},"zone":"eu"}`,
  ]);
  expect(await withVersion(storageOf("project_client_id"), missingSchema)).toHaveLength(3);
  await expect(migrated(storageOf("project_client_id"), ["--shard"])).rejects.toThrow("this server is no mongos");
});
