import { startMongoProxy } from "@platform/test-kit/mongo-proxy";
import { type Document, MongoClient } from "mongodb";

/** A query of a service, with the server's statistics about its cost. */
export type WatchedQuery = {
  readonly collection: string;
  readonly documentsExamined: number;
  readonly returned: number;
  readonly query: string;
};

/** A MongoDB behind a proxy that records its commands. */
export type WatchedStore = {
  readonly uri: string;
  /** Runs `work`, and returns every find and aggregation on a collection, as the server explains it afterwards. */
  queriesOf(collection: string, work: () => Promise<unknown>): Promise<WatchedQuery[]>;
  close(): Promise<void>;
};

/**
 * Starts a proxy in front of a server that may be started later. @param isOwn returns whether a database belongs to this platform
 */
export async function watchStore(target: string, isOwn: (database: string) => boolean): Promise<WatchedStore> {
  const proxy = await startMongoProxy(target);
  const seen: Document[] = [];
  const stops = ["find", "aggregate"].map((command) => proxy.listen(command, (body) => seen.push(body)));
  let client: MongoClient | null = null;

  const explain = async ({ $db, find, filter, sort, limit, aggregate, pipeline, cursor }: Document) => {
    client ??= await MongoClient.connect(target);
    const asked =
      find === undefined
        ? { aggregate, pipeline, cursor }
        : { find, filter, ...(sort && { sort }), ...(limit && { limit }) };
    const { executionStats } = await client.db($db).command({ explain: asked, verbosity: "executionStats" });
    return {
      collection: find ?? aggregate,
      documentsExamined: Number(executionStats?.totalDocsExamined ?? 0),
      returned: Number(executionStats?.nReturned ?? 0),
      query: JSON.stringify({ filter: filter ?? pipeline, sort, limit }),
    };
  };
  return {
    uri: proxy.uri,
    queriesOf: async (collection, work) => {
      seen.length = 0;
      await work();
      const made = seen.filter(({ $db, find, aggregate }) => isOwn($db) && (find ?? aggregate) === collection);
      return Promise.all(made.map(explain));
    },
    close: async () => {
      for (const stop of stops) stop();
      await client?.close();
      await proxy.close();
    },
  };
}
