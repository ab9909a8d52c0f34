import { randomUUID } from "node:crypto";
import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from "mongodb";
import { afterAll, beforeAll, it } from "vitest";
import { startEmbeddedMongo } from "../src/index.ts";

/** A document of a test. Its id may have any type that MongoDB permits, and not only that which the driver assumes, ObjectId. */
export type TestDocument = Document & { readonly _id?: string | number | object };

/**
 * Runs a test of a difference between FerretDB and MongoDB, as the README lists them. On FerretDB the test must fail, so that a difference that no longer
 * exists is removed from the list.
 */
export const itUnlessFerretDb = (await isFerretDb()) ? it.fails : it;

async function isFerretDb(): Promise<boolean> {
  const uri = process.env.MONGODB_URI;
  if (uri === undefined) return false;
  const client = await MongoClient.connect(uri);
  const info = await client.db("admin").command({ buildInfo: 1 });
  await client.close();
  return "ferretdb" in info;
}

/**
 * Opens a separate database for one test file: on the server in MONGODB_URI, such as a real mongod, which must give the same guarantees, or on an embedded
 * engine in memory.
 */
export function connect(options: MongoClientOptions = {}) {
  let client: MongoClient;
  let uri = process.env.MONGODB_URI;
  let stop: () => Promise<void> = async () => {};
  let count = 0;
  const database = `conformance_${randomUUID().slice(0, 8)}`;
  beforeAll(async () => {
    if (uri === undefined) {
      const mongo = await startEmbeddedMongo();
      uri = mongo.uri;
      stop = mongo.close;
    }
    client = await MongoClient.connect(uri, { maxPoolSize: 60, ...options });
  });
  afterAll(async () => {
    await client.db(database).dropDatabase();
    await client.close();
    await stop();
  });
  return {
    database,
    uri: () => uri ?? "",
    client: () => client,
    db: (): Db => client.db(database),
    /** Creates a collection with these documents in it. */
    async collection(documents: readonly TestDocument[] = []): Promise<Collection<TestDocument>> {
      count++;
      const collection = client.db(database).collection<TestDocument>(`c${count}`);
      if (documents.length > 0) await collection.insertMany(documents.map((doc) => ({ ...doc })));
      return collection;
    },
  };
}

/** Returns the sorted _ids of the documents that a filter finds. Most of these tests compare them. */
export async function idsOf(collection: Collection<TestDocument>, filter: Document): Promise<unknown[]> {
  const found = await collection.find(filter).project({ _id: 1 }).sort({ _id: 1 }).toArray();
  return found.map(({ _id }) => _id);
}

/** Returns the stages of the winning plan, starting with the outermost. */
export async function stagesOf(explained: Promise<Document>): Promise<string[]> {
  const stages: string[] = [];
  for (let plan = (await explained).queryPlanner.winningPlan; plan !== undefined; plan = plan.inputStage) {
    stages.push(plan.stage);
  }
  return stages;
}
