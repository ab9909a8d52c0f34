import type { Keyring } from "@platform/kit/process/secrets";
import type { BackupConfig } from "@platform/kit/service/config";
import { openStorage, type ServiceStorage } from "@platform/kit/service/storage";
import {
  buildIndexes,
  connectMongo,
  type MongoConnection,
  noteSchema,
  putOffCollection,
  resealAll,
  runDataMigrations,
} from "@platform/kit/store/schema";
import { listSeries, pruneSeries, seriesFolder } from "./backup-series.ts";
import type { BackupStore } from "./backup-store.ts";
import { openBackupStore } from "./open-store.ts";
import { type BackupFolder, type BackupManifest, restoreBackup, verifyBackup, writeBackup } from "./snapshot.ts";

const usage =
  "usage: src/backup.ts add | list | drill | create PLACE | verify PLACE | restore PLACE | reconcile | reseal; a PLACE is a folder or s3://bucket/prefix";

/**
 * Runs a command that backs up or restores a service's database, as a process. `create` writes a backup and reads it
 * back, `verify` reads it completely, and `restore` fills an empty database from it, builds the indexes and then runs
 * `reconcile` and `reseal`. `reconcile` repairs the references that a backup of a running service may have missed, and
 * `reseal` encrypts secrets with the current service key. `add` creates a backup below BACKUP_PLACE and the database's
 * name, in a folder named by its time, and then removes all but the newest BACKUP_KEEP. `list` prints these backups,
 * and `drill` restores the newest one into a scratch database that it drops afterwards. A failure prints one line and
 * exits with code 1.
 */
export async function runBackup(readConfig: () => BackupConfig, storage: ServiceStorage): Promise<void> {
  try {
    await backup(readConfig(), storage, process.argv.slice(2), (line) => void process.stdout.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

const places: Readonly<Record<string, boolean>> = {
  add: false,
  list: false,
  drill: false,
  create: true,
  verify: true,
  restore: true,
  reconcile: false,
  reseal: false,
};

/** Runs such a command without ending the process. */
export async function backup(
  config: BackupConfig,
  storage: ServiceStorage,
  [command = "", given, ...rest]: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  if (places[command] === undefined || places[command] !== (given !== undefined) || rest.length > 0)
    throw new Error(usage);
  const { mongo, backups } = config;
  const isSeries = ["add", "list", "drill"].includes(command);
  if (isSeries && backups.place === null) throw new Error("BACKUP_PLACE is not set");
  const place = isSeries ? `${backups.place}/${mongo.database}` : (given ?? "");
  const store = openBackupStore(place, backups.s3);
  try {
    if (command === "list") await printSeries(store, place, say);
    else if (command === "drill") await drill(config, storage, { store, place, say });
    else if (command === "verify") say(`${described(await verifyBackup({ store, folder: "" }), "is whole")}`);
    else await onDatabase(config, storage, { command, store, say });
    if (command !== "add") return;
    const removed = await pruneSeries(store, backups.keep, new Date());
    say(`${removed.length} backups before the newest ${backups.keep} are removed`);
  } finally {
    store.close();
  }
}

async function printSeries(store: BackupStore, place: string, say: (line: string) => void): Promise<void> {
  const series = await listSeries(store);
  for (const { folder, isFinished } of series) say(`${place}/${folder}${isFinished ? "" : " (not finished)"}`);
  if (series.length === 0) say(`${place} holds no backup`);
}

const totalOf = ({ collections }: BackupManifest): string =>
  `${Object.values(collections).reduce((sum, { documents }) => sum + documents, 0)} documents of ${Object.keys(collections).length} collections`;
const described = (manifest: BackupManifest, what: string): string =>
  `${manifest.database} of ${manifest.started_at} ${what}: ${totalOf(manifest)}`;

type Say = (line: string) => void;
type Work = { readonly command: string; readonly store: BackupStore; readonly say: Say };

async function onDatabase(
  { mongo, keyring }: BackupConfig,
  storage: ServiceStorage,
  { command, store, say }: Work,
): Promise<void> {
  const connection = await connectMongo({ ...mongo, isPatient: true });
  try {
    if (command === "create" || command === "add") {
      const folder = command === "add" ? seriesFolder(new Date()) : "";
      const made = await writeBackup(connection, { store, folder }, [...(storage.leases ?? []), putOffCollection]);
      say(`${made.database} is backed up and read back: ${totalOf(made)}`);
      if (!made.is_snapshot) say("not as of one point in time: this server offers no snapshot");
      return;
    }
    openStorage(storage, connection, keyring);
    if (command === "restore") await restore(connection, { store, folder: "" }, storage, say);
    if (command !== "reseal") await storage.reconcile?.(connection, say);
    if (command !== "reconcile") await reseal(connection, keyring, storage, say);
  } finally {
    await connection.close();
  }
}

async function restore(
  connection: MongoConnection,
  from: BackupFolder,
  { migrations = [] }: ServiceStorage,
  say: Say,
): Promise<void> {
  say(described(await restoreBackup(connection, from), "is restored"));
  await buildIndexes(connection, say);
  await runDataMigrations(connection, migrations, say);
  await noteSchema(connection, new Date());
}

async function reseal(connection: MongoConnection, keyring: Keyring, storage: ServiceStorage, say: Say): Promise<void> {
  const { resealed, unopened } = await resealAll(connection, keyring, storage.sealed);
  say(`${resealed} secrets are sealed with the current key`);
  for (const field of unopened) say(`no key of the ring opens ${field}`);
  if (unopened.length > 0)
    throw new Error("give the key that sealed them in SERVICE_KEY_PREVIOUS, or enter them again");
}

/**
 * Restores the newest backup of the series into a scratch database on the service's server, as after a loss, and drops
 * that database again.
 * @throws if there is no backup, it cannot be restored, its secrets cannot be decrypted, or reconcile finds lost
 * records
 */
async function drill(
  { mongo, keyring }: BackupConfig,
  storage: ServiceStorage,
  { store, place, say }: { readonly store: BackupStore; readonly place: string; readonly say: Say },
): Promise<void> {
  const newest = (await listSeries(store)).findLast(({ isFinished }) => isFinished);
  if (newest === undefined) throw new Error(`${place} holds no finished backup`);
  const startedAtMs = performance.now();
  const connection = await connectMongo({ ...mongo, database: `${mongo.database}_restore_drill`, isPatient: true });
  try {
    // A drill that was interrupted may have left documents in the scratch database.
    await connection.dropDatabase();
    openStorage(storage, connection, keyring);
    await restore(connection, { store, folder: newest.folder }, storage, say);
    const reconciled = await storage.reconcile?.(connection, say);
    await reseal(connection, keyring, storage, say);
    if (reconciled !== undefined && reconciled.lost > 0)
      throw new Error(`${reconciled.lost} records of the backup are lost`);
    say(`the restore drill of ${newest.folder} passed in ${Math.ceil((performance.now() - startedAtMs) / 1000)} s`);
  } finally {
    await connection.dropDatabase();
    await connection.close();
  }
}
