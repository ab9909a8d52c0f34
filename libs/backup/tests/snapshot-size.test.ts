import { refuseLongSnapshot, snapshotBytesMax } from "@platform/backup/snapshot-size";
import { connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, expect, test } from "vitest";

let mongo: TestMongo;
let connection: MongoConnection;
let bytes: number;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  await connection.collection("things").insertMany(Array.from({ length: 100 }, (_, number) => ({ number })));
  bytes = Number((await connection.db?.command({ dbStats: 1 }))?.dataSize);
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

test("accepts 2.4 GB, which take 240 seconds to read, as the maximum size of a snapshot", () => {
  expect(snapshotBytesMax).toBe(2_400_000_000);
});

test("accepts a database whose size is exactly the limit", async () => {
  expect(bytes).toBeGreaterThan(1_000);
  await expect(refuseLongSnapshot(connection, bytes)).resolves.toBeUndefined();
});

test("rejects a database that is one byte larger than the limit, and names the alternatives for larger ones", async () => {
  await expect(refuseLongSnapshot(connection, bytes - 1)).rejects.toThrow(
    /holds 0\.0 GB, and 240 s of one snapshot are enough for 0\.0 GB.*Percona Backup for MongoDB.*provider/,
  );
});
