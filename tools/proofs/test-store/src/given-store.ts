import { serviceNames } from "@platform/contracts/services";
import { MongoClient } from "mongodb";

/** A server to run tests on. */
export type GivenStore = {
  readonly uri: string;
  /** Removes every database that was created since the server was opened. */
  empty(): Promise<void>;
  stop(): Promise<void>;
};

const ownDatabases: readonly string[] = serviceNames;

/**
 * Opens the server of MONGODB_URI.
 * @throws if it contains databases of a platform, because tests empty the databases that they use
 */
export async function openGivenStore(uri: string): Promise<GivenStore> {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 10_000, maxPoolSize: 2 });
  const names = async (): Promise<string[]> => {
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true });
    return databases.map(({ name }) => name);
  };
  const kept = await names();
  const used = kept.filter((name) => ownDatabases.includes(name));
  if (used.length > 0) {
    await client.close();
    throw new Error(
      `the server of MONGODB_URI holds the databases ${used.join(", ")} already: tests need one of their own`,
    );
  }
  return {
    uri,
    empty: async () => {
      for (const name of await names()) if (!kept.includes(name)) await client.db(name).dropDatabase();
    },
    stop: () => client.close(),
  };
}
