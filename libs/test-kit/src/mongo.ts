import { randomBytes } from "node:crypto";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { MongoClient } from "mongodb";

/** A database of a test file's own, on MONGODB_URI when set, else on an embedded engine in this process. */
export type TestMongo = {
  readonly uri: string;
  /** Name no other test file uses. */
  readonly database: string;
  /** Drops the database and stops what was started. */
  close(): Promise<void>;
};

/** Starts or finds a MongoDB for one test file. */
export async function startTestMongo(): Promise<TestMongo> {
  const database = `test_${randomBytes(6).toString("hex")}`;
  const given = process.env.MONGODB_URI;
  if (given === undefined || given === "") {
    const engine = await startEmbeddedMongo({ port: 0 });
    return { uri: engine.uri, database, close: () => engine.close() };
  }
  return {
    uri: given,
    database,
    close: async () => {
      const client = await MongoClient.connect(given);
      await client.db(database).dropDatabase();
      await client.close();
    },
  };
}
