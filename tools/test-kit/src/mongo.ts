import { randomBytes } from "node:crypto";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { defined } from "@platform/kit/process/fields";
import { MongoClient } from "mongodb";
import { type InjectedFailure, type MongoProxy, startMongoProxy } from "./mongo-proxy.ts";

/** A database for one test file, on MONGODB_URI if it is set, otherwise on an embedded engine in this process. */
export type TestMongo = {
  readonly uri: string;
  /** Name that no other test file uses. */
  readonly database: string;
  /** Fails the next commands of a name. */
  fail(failure: InjectedFailure): void;
  /** Returns the number of failures since the last `fail`. */
  failures(): number;
  /**
   * Number of documents that each query of `work` on a collection examines, according to the server's explain; 0 if
   * that is not reported. An index that serves a list keeps this at the page length, however many documents there are.
   */
  examined(collection: string, work: () => Promise<unknown>): Promise<number[]>;
  /** The filters of every query, update and deletion that `work` runs on some collections. */
  filters(collections: readonly string[], work: () => Promise<unknown>): Promise<CollectionFilter[]>;
  /** The names of all commands that processes send while `work` runs. */
  commands(work: () => Promise<unknown>): Promise<Set<string>>;
  /** Drops the database and stops what was started. */
  close(): Promise<void>;
};

/** A statement's filter as the server got it. */
export type CollectionFilter = {
  readonly command: string;
  readonly collection: string;
  readonly filter: Readonly<Record<string, unknown>>;
};

/**
 * Connects to a MongoDB for one test file, and starts an embedded engine if MONGODB_URI is not set. It is behind a proxy that removes the text from its
 * duplicate-key errors, so that no tested code can depend on it.
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
    filters: (collections, work) => filters(proxy, database, collections, work),
    commands: async (work) => {
      const names = new Set<string>();
      // The first field of a command is its name.
      const stop = proxy.listen("*", (body) => void names.add(Object.keys(body)[0] ?? ""));
      await work().finally(stop);
      return names;
    },
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
  for (const { find, filter, sort, limit, hint } of queries) {
    const explain = {
      find,
      filter,
      ...defined({ sort, limit, hint }),
    };
    const answer = await client.db(database).command({ explain, verbosity: "executionStats" });
    counts.push(Number(answer.executionStats?.totalDocsExamined ?? 0));
  }
  await client.close();
  return counts;
}

type Statement = { readonly q?: object };

/** Functions that return the filters of each command. */
const filterReaders: Readonly<Record<string, (body: Record<string, unknown>) => readonly unknown[]>> = {
  find: ({ filter }) => [filter],
  count: ({ query }) => [query],
  distinct: ({ query }) => [query],
  findAndModify: ({ query }) => [query],
  aggregate: ({ pipeline }) => [(pipeline as { $match?: object }[])[0]?.$match],
  update: ({ updates }) => (updates as Statement[]).map(({ q }) => q),
  delete: ({ deletes }) => (deletes as Statement[]).map(({ q }) => q),
};

async function filters(
  proxy: MongoProxy,
  database: string,
  collections: readonly string[],
  work: () => Promise<unknown>,
): Promise<CollectionFilter[]> {
  const seen: CollectionFilter[] = [];
  const stops = Object.entries(filterReaders).map(([command, read]) =>
    proxy.listen(command, (body) => {
      const collection = String(body[command]);
      if (body.$db !== database || !collections.includes(collection)) return;
      for (const filter of read(body))
        seen.push({ command, collection, filter: (filter ?? {}) as CollectionFilter["filter"] });
    }),
  );
  await work().finally(() => {
    for (const stop of stops) stop();
  });
  return seen;
}
