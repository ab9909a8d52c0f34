import type { Connection, mongo } from "mongoose";
import { MongoDBStorage, Umzug } from "umzug";
import type { StoredDocument, StoredUpdate } from "./collection-of.ts";
import type { SchemaProgress } from "./schema.ts";

/**
 * A change to the form of a collection's documents. During an upgrade, a version and its predecessor serve at the same
 * time, and a rollback starts the predecessor again. A migration must therefore leave documents that both versions can
 * read and write: it adds a field, and a later release removes the field that the new one replaces.
 */
export type DataMigration = {
  /**
   * Determines the order of the migrations and must never change: a date and the effect, such as
   * `2026-11-25-lower-case-addresses`.
   */
  readonly name: string;
  readonly collection: string;
  /** Selects the documents that still have to change and no others, so that a migration can be resumed. */
  readonly pending: mongo.Filter<StoredDocument>;
  readonly change: (document: StoredDocument) => StoredUpdate;
};

/**
 * Collection that records which migrations have run. It is part of a backup, so that a restored database is migrated
 * from its own state.
 */
export const dataMigrationsCollection = "data_migrations";
const documentsAtOnce = 500;
const sayEveryDocuments = 10_000;

/**
 * Runs the migrations that have not run on this database, in the order of their names. There is no way back. An
 * interrupted migration continues with the remaining documents. It uses no transaction: each document is changed
 * individually, and only if it still matches `pending`. Concurrent writes of a serving process are therefore not
 * overwritten, and two concurrent runs change each document once.
 */
export async function runDataMigrations(
  connection: Connection,
  migrations: readonly DataMigration[],
  say: SchemaProgress = () => {},
): Promise<void> {
  if (migrations.length === 0) return;
  const names = migrations.map(({ name }) => name);
  if (names.some((name, index) => index > 0 && name <= (names[index - 1] ?? "")))
    throw new Error(`data migrations must be in the order of their names, each once: ${names.join(", ")}`);
  const umzug = new Umzug({
    migrations: migrations.map((migration) => ({
      name: migration.name,
      up: () => changeDocuments(connection, migration, say),
    })),
    storage: new MongoDBStorage({ collection: connection.collection(dataMigrationsCollection) }),
    logger: undefined,
  });
  await umzug.up();
}

async function changeDocuments(
  connection: Connection,
  { name, collection, pending, change }: DataMigration,
  say: SchemaProgress,
): Promise<void> {
  const documents = connection.collection<StoredDocument>(collection);
  let [changed, said] = [0, 0];
  for (let after: string | undefined; ; ) {
    const page = await documents
      .find(after === undefined ? pending : { $and: [{ _id: { $gt: after } }, pending] })
      .sort({ _id: 1 })
      .limit(documentsAtOnce)
      .toArray();
    const last = page.at(-1);
    if (last === undefined) break;
    const { modifiedCount } = await documents.bulkWrite(
      page.map((document) => ({
        updateOne: { filter: { $and: [{ _id: document._id }, pending] }, update: change(document) },
      })),
      { ordered: false },
    );
    changed += modifiedCount;
    after = last._id;
    if (changed - said < sayEveryDocuments) continue;
    said = changed;
    say(`migration ${name}: ${changed} documents of ${collection} are changed`);
  }
  say(`migration ${name} is done: ${changed} documents of ${collection} were changed`);
}
