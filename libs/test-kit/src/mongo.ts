import { randomBytes } from "node:crypto";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { MongoClient } from "mongodb";
import { type InjectedFailure, type MongoProxy, startMongoProxy } from "./mongo-proxy.ts";

/** A database of a test file's own, on MONGODB_URI when set, else on an embedded engine in this process. */
export type TestMongo = {
  readonly uri: string;
  /** Name no other test file uses. */
  readonly database: string;
  /** Fails the next commands of a name. */
  fail(failure: InjectedFailure): void;
  /** Failures answered since the last `fail`. */
  failures(): number;
  /**
   * Number of documents examined by each query that `work` makes on a collection, as the server explains it; 0 where it does not say. An index that
   * serves a list keeps it at the page length, however many documents there are.
   */
  examined(collection: string, work: () => Promise<unknown>): Promise<number[]>;
  /** Drops the database and stops what was started. */
  close(): Promise<void>;
};

/**
 * Starts or finds a MongoDB for one test file. It stands behind a proxy that takes the wording from its duplicate-key errors, so that
 * nothing tested here can depend on it.
 */
export async function startTestMongo(): Promise<TestMongo> {
  const database = `test_${randomBytes(6).toString("hex")}`;
  const given = process.env.MONGODB_URI;
  const engine = given === undefined || given === "" ? await startEmbeddedMongo({ port: 0 }) : null;
  const proxy = await startMongoProxy(engine?.uri ?? given ?? "");
  return {
    uri: proxy.uri,
    database,
    fail: proxy.fail,
    failures: proxy.failures,
    examined: (collection, work) => examined(proxy, database, collection, work),
    close: async () => {
      if (engine === null) {
        const client = await MongoClient.connect(proxy.uri);
        await client.db(database).dropDatabase();
        await client.close();
      }
      await proxy.close();
      await engine?.close();
    },
  };
}

async function examined(
  proxy: MongoProxy,
  database: string,
  collection: string,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const queries: Record<string, unknown>[] = [];
  const stop = proxy.listen("find", (body) => {
    if (body.find === collection && body.$db === database) queries.push(body);
  });
  await work().finally(stop);
  const client = await MongoClient.connect(proxy.uri);
  const counts: number[] = [];
  for (const { find, filter, sort, limit } of queries) {
    const explain = {
      find,
      filter,
      ...(sort === undefined ? {} : { sort }),
      ...(limit === undefined ? {} : { limit }),
    };
    const answer = await client.db(database).command({ explain, verbosity: "executionStats" });
    counts.push(Number(answer.executionStats?.totalDocsExamined ?? 0));
  }
  await client.close();
  return counts;
}
