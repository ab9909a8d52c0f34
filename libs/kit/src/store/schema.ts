import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Connection, Model, mongo } from "mongoose";
import type { Logger } from "../process/logger.ts";
import { isDuplicateKey } from "./store-failure.ts";

/** Receives a line for each index that takes long, and for each finished collection. */
export type SchemaProgress = (line: string) => void;

type Revision = { readonly _id: string; readonly built_at: Date };

const attemptsMax = 5;
const sayEveryMs = 10_000;

/**
 * Builds every index of the connection's models, in production in the migration step and elsewhere at startup. At
 * startup, the processes of a service build the same indexes at the same time, which PostgreSQL may abort with a
 * deadlock. Building an existing index returns immediately.
 */
export async function buildIndexes(connection: Connection, say: SchemaProgress = () => {}): Promise<void> {
  const models = Object.values(connection.models);
  for (const [number, model] of models.entries()) {
    for (const index of model.schema.indexes()) await buildIndex(connection, model, index, say);
    say(`indexes of ${model.collection.collectionName} are built (${number + 1} of ${models.length})`);
  }
}

type Index = ReturnType<Model<unknown>["schema"]["indexes"]>[number];

async function buildIndex(
  connection: Connection,
  { collection }: Model<unknown>,
  [fields, options]: Index,
  say: SchemaProgress,
): Promise<void> {
  const name = `index { ${Object.keys(fields).join(", ")} } of ${collection.collectionName}`;
  const beganMs = performance.now();
  const telling = setInterval(() => {
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    void partDone(connection, collection.collectionName).then((part) =>
      say(`building ${name} for ${seconds} s${part === null ? "" : `, ${part} % done`}`),
    );
  }, sayEveryMs);
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await collection.createIndex(fields as mongo.IndexSpecification, options as mongo.CreateIndexesOptions);
        return;
      } catch (error) {
        // A retry cannot help if the data has a duplicate in a unique index.
        if (attempt === attemptsMax || isDuplicateKey(error)) throw error;
        await delay(100 * attempt * (1 + Math.random()));
      }
    }
  } finally {
    clearInterval(telling);
  }
}

/** Returns the progress of an index build in percent, if the server reports it. */
async function partDone(connection: Connection, collection: string): Promise<number | null> {
  try {
    const running = await connection
      .getClient()
      .db("admin")
      .aggregate([{ $currentOp: { allUsers: true } }, { $match: { "command.createIndexes": collection } }])
      .toArray();
    const progress = running.find(({ progress: seen }) => seen?.total > 0)?.progress;
    return progress === undefined ? null : Math.floor((100 * Number(progress.done)) / Number(progress.total));
  } catch {
    return null;
  }
}

/**
 * Collection that records which indexes the migration has built. It is not part of a backup, because a restore builds
 * them again.
 */
export const revisionsCollection = "schema_revisions";

/**
 * Returns the name of a model's collection with a digest of its indexes. Versions with different indexes have different
 * digests.
 */
function revisionOf({ collection, schema }: Model<unknown>): string {
  const digest = createHash("sha256").update(JSON.stringify(schema.indexes())).digest("hex").slice(0, 16);
  return `${collection.collectionName} ${digest}`;
}

/** Records that every index of the connection's models exists. */
export async function noteSchema(connection: Connection, now: Date): Promise<void> {
  const revisions = connection.collection<Revision>(revisionsCollection);
  for (const model of Object.values(connection.models)) {
    await revisions
      .updateOne({ _id: revisionOf(model) }, { $setOnInsert: { built_at: now } }, { upsert: true })
      .catch((error: unknown) => {
        // Two concurrent migrations may insert the same record.
        if (!isDuplicateKey(error)) throw error;
      });
  }
}

/** Returns the collections whose indexes this version needs and that no migration has built yet. */
export async function missingSchema(connection: Connection): Promise<string[]> {
  const models = Object.values(connection.models);
  const wanted = new Map(models.map((model) => [revisionOf(model), model.collection.collectionName]));
  const built = await connection
    .collection<Revision>(revisionsCollection)
    .find({ _id: { $in: [...wanted.keys()] } })
    .toArray();
  for (const { _id } of built) wanted.delete(_id);
  return [...wanted.values()];
}

/** Waits until the migration of this version has built every index, so that no process works on a collection that lacks one. */
export async function awaitSchema(connection: Connection, logger: Logger, everyMs = 1_000): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const missing = await missingSchema(connection);
    if (missing.length === 0) return;
    if (looks % 30 === 0)
      logger.warn({ component: "schema", collections: missing }, "waiting for the migration of this version");
    await delay(everyMs);
  }
}
