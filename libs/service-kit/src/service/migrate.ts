import { buildIndexes, connectMongo, type MongoConnection } from "../mongo/connect.ts";
import type { Keyring } from "../secrets/sealed.ts";
import type { ServiceConfig } from "./service-config.ts";

/** The migration step of a release, where MONGODB_AUTO_INDEX is off: builds the indexes of every store and ends. */
export async function migrate(
  { mongo, keyring }: Pick<ServiceConfig, "mongo" | "keyring">,
  openStores: (connection: MongoConnection, keyring: Keyring) => unknown,
): Promise<void> {
  const connection = await connectMongo(mongo);
  try {
    openStores(connection, keyring);
    await buildIndexes(connection);
  } finally {
    await connection.close();
  }
}
