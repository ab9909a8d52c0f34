import type { Connection, mongo } from "mongoose";
import { MongoDBStorage, Umzug } from "umzug";
import type { SchemaProgress } from "./schema.ts";

type Document = mongo.Document;

/**
 * A change of the form of a collection's documents. A release's version n and the version before it serve at the same time, and going back starts the
 * version before again, so a migration leaves documents that both read and write: it adds a field, and a later release removes the one it replaces.
 */
export type DataMigration = {
  /** Orders the migrations and never changes: a date and what it does, such as `2026-11-25-lower-case-addresses`. */
  readonly name: string;
  readonly collection: string;
  /** Selects the documents that still have to change and no others, so that a migration can be resumed. */
  readonly pending: mongo.Filter<Document>;
  readonly change: (document: Document) => mongo.UpdateFilter<Document>;
};

/** Collection that says which migrations have run. Part of a backup, so that a restored database is migrated from where it was. */
export const dataMigrationsCollection = "data_migrations";
const documentsAtOnce = 500;
const sayEveryDocuments = 10_000;

/**
 * Runs the migrations that have not run on this database, in the order of their names, forwards only. One that was interrupted is resumed with the
 * documents that are left. No transaction: each document is changed by itself, and only if it still is as `pending` says, so that nothing a serving
 * process writes meanwhile is overwritten, and two runs at the same time change each document once.
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
  const documents = connection.collection(collection);
  let [changed, said] = [0, 0];
  for (let after: unknown; ; ) {
    const page = await documents
      // The driver takes every id for an ObjectId, and these collections have ids of their own.
      .find(after === undefined ? pending : { $and: [{ _id: { $gt: after as never } }, pending] })
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
