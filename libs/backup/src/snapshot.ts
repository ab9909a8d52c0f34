import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { defined } from "@platform/kit/process/fields";
import { revisionsCollection } from "@platform/kit/store/schema";
import { type Connection, mongo } from "mongoose";
import { type BackupStore, manifestName } from "./backup-store.ts";
import { refuseLongSnapshot } from "./snapshot-size.ts";

const { BSON } = mongo;

/**
 * The manifest of a backup, which lists its contents. It is written once all files have been read back, so a folder
 * without it is not a backup.
 */
export type BackupManifest = {
  readonly database: string;
  readonly started_at: string;
  readonly finished_at: string;
  /** True if all collections are from one point in time. Otherwise they were read one after the other. */
  readonly is_snapshot: boolean;
  readonly collections: Readonly<Record<string, { readonly documents: number; readonly sha256: string }>>;
};

const insertedAtOnce = 500;
/**
 * Maximum number of bytes that one command inserts. A restore must run with little memory, and a document may have up
 * to 16 MB.
 */
const insertedBytesMax = 8 * 1024 * 1024;
/** Options of the driver with which every value keeps its BSON type. */
const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const;

/** A folder of a store of backups. */
export type BackupFolder = { readonly store: BackupStore; readonly folder: string };

const pathOf = (folder: string, file: string): string => (folder === "" ? file : `${folder}/${file}`);
const fileOf = (folder: string, collection: string): string => pathOf(folder, `${collection}.bson.gz`);

/**
 * Writes every collection of a database into a folder, in the form of mongodump --gzip: documents in BSON, one after
 * the other. A replica set is read as of one point in time. Any other server is read collection by collection, so its
 * service should be stopped or idle. Every file is read back before the backup counts as finished.
 * @throws if the database is too large to be read as of one point in time
 * @param leftOut collections of leases, which are meaningless in a backup
 */
export async function writeBackup(
  connection: Connection,
  { store, folder }: BackupFolder,
  leftOut: readonly string[],
): Promise<BackupManifest> {
  const { db } = connection;
  if (db === undefined) throw new Error("not connected");
  const started_at = new Date().toISOString();
  const { setName } = await db.admin().command({ hello: 1 });
  const isSnapshot = setName !== undefined;
  if (isSnapshot) await refuseLongSnapshot(connection);
  const session = isSnapshot ? connection.getClient().startSession({ snapshot: true }) : undefined;
  const collections: Record<string, { documents: number; sha256: string }> = {};
  try {
    const names = (await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray()).map(
      ({ name }) => name,
    );
    const skipped = [...leftOut, revisionsCollection];
    const kept = names.filter((each) => !each.startsWith("system.") && !skipped.includes(each));
    for (const name of headsFirst(kept)) {
      const digest = createHash("sha256");
      let documents = 0;
      const cursor = db.collection(name).find({}, { ...exact, ...defined({ session }) });
      const bytes = async function* () {
        for await (const document of cursor) {
          const encoded = BSON.serialize(document, { ignoreUndefined: false });
          digest.update(encoded);
          documents += 1;
          yield encoded;
        }
      };
      const compressed = createGzip();
      await Promise.all([pipeline(Readable.from(bytes()), compressed), store.write(fileOf(folder, name), compressed)]);
      collections[name] = { documents, sha256: digest.digest("hex") };
    }
  } finally {
    await session?.endSession();
  }
  const finished_at = new Date().toISOString();
  const manifest = { database: db.databaseName, started_at, finished_at, is_snapshot: isSnapshot, collections };
  await readAll({ store, folder }, manifest);
  await store.write(pathOf(folder, manifestName), Readable.from([Buffer.from(JSON.stringify(manifest, null, 2))]));
  return manifest;
}

/** Reads all files of a backup. @throws if the backup is incomplete or a file differs from what was written */
export async function verifyBackup(from: BackupFolder): Promise<BackupManifest> {
  const manifest = await readManifest(from);
  await readAll(from, manifest);
  return manifest;
}

async function readAll(from: BackupFolder, manifest: BackupManifest): Promise<void> {
  for (const name of Object.keys(manifest.collections)) await eachDocument(from, name, manifest, async () => undefined);
}

/**
 * Inserts a backup's documents into an empty database. @throws if the database is not empty, or the backup is
 * incomplete
 */
export async function restoreBackup(connection: Connection, from: BackupFolder): Promise<BackupManifest> {
  const { db } = connection;
  if (db === undefined) throw new Error("not connected");
  const manifest = await verifyBackup(from);
  for (const name of Object.keys(manifest.collections))
    if ((await db.collection(name).findOne({})) !== null)
      throw new Error(`${db.databaseName}.${name} has documents: a backup is restored into an empty database`);
  for (const [name, { documents }] of Object.entries(manifest.collections)) {
    let waiting: mongo.Document[] = [];
    let waitingBytes = 0;
    const insert = async (): Promise<void> => {
      if (waiting.length > 0) await db.collection(name).insertMany(waiting, { ordered: true });
      waiting = [];
      waitingBytes = 0;
    };
    await eachDocument(from, name, manifest, async (bytes) => {
      if (waitingBytes + bytes.byteLength > insertedBytesMax) await insert();
      waiting.push(BSON.deserialize(bytes, exact));
      waitingBytes += bytes.byteLength;
      if (waiting.length === insertedAtOnce) await insert();
    });
    await insert();
    const count = await db.collection(name).countDocuments({});
    if (count !== documents) throw new Error(`${name} has ${count} documents, not ${documents}`);
  }
  return manifest;
}

/**
 * Heads of logs are read before the records of the logs. Without a snapshot, a head may then be older than its records,
 * which reconcile repairs, but never newer.
 */
const headsFirst = (names: readonly string[]): string[] =>
  names.toSorted((a, b) => Number(b.endsWith("_heads")) - Number(a.endsWith("_heads")) || (a < b ? -1 : 1));

async function readManifest({ store, folder }: BackupFolder): Promise<BackupManifest> {
  try {
    return JSON.parse(await text(await store.read(pathOf(folder, manifestName)))) as BackupManifest;
  } catch (error) {
    throw new Error(`${folder === "" ? "this place" : folder} holds no finished backup: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function eachDocument(
  { store, folder }: BackupFolder,
  name: string,
  manifest: BackupManifest,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  const digest = createHash("sha256");
  let documents = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    await pipeline(await store.read(fileOf(folder, name)), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
        while (rest.byteLength >= 4 && rest.byteLength >= rest.readInt32LE(0)) {
          const length = rest.readInt32LE(0);
          if (length < 5) throw new Error("no BSON");
          const bytes = rest.subarray(0, length);
          digest.update(bytes);
          documents += 1;
          await take(bytes);
          rest = rest.subarray(length);
        }
      }
    });
  } catch (error) {
    throw new Error(`${name} of the backup cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const expected = manifest.collections[name];
  if (rest.byteLength > 0 || documents !== expected?.documents || digest.digest("hex") !== expected.sha256)
    throw new Error(`${name} of the backup is not what was written`);
}
