import { buildIndexes, connectMongo, type MongoConnection } from "../mongo/connect.ts";
import { createOperatorActionStore } from "../mongo/operator-actions.ts";
import type { Keyring } from "../secrets/sealed.ts";
import type { ServiceConfig } from "./service-config.ts";

/**
 * The migration step of a release, where MONGODB_AUTO_INDEX is off: builds the indexes of every store and ends. An index of a large collection takes
 * longer than any other command, so there is no time-out; `say` is called for each finished collection.
 */
export async function migrate(
  { mongo, keyring }: Pick<ServiceConfig, "mongo" | "keyring">,
  openStores: (connection: MongoConnection, keyring: Keyring) => unknown,
  say: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<void> {
  const connection = await connectMongo({ ...mongo, socketTimeoutMs: 0 });
  try {
    openStores(connection, keyring);
    createOperatorActionStore(connection);
    await buildIndexes(connection, (collection, done, all) =>
      say(`indexes of ${collection} are built (${done} of ${all})`),
    );
  } finally {
    await connection.close();
  }
}
