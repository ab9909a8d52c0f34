import { restoreBackup, verifyBackup, writeBackup } from "../mongo/backup.ts";
import { connectMongo, type MongoConnection } from "../mongo/connect.ts";
import { resealAll } from "../mongo/reseal.ts";
import { buildIndexes, noteSchema } from "../mongo/schema.ts";
import type { MigrationConfig } from "./service-config.ts";
import { openStorage, type ServiceStorage } from "./storage.ts";

const usage = "usage: src/backup.ts create FOLDER | verify FOLDER | restore FOLDER | reconcile | reseal";

/**
 * Backs a service's database up and restores it, as a process: `create` writes a folder, `verify` reads it to its end, `restore` fills an empty
 * database from it, builds the indexes and does what the two others do: `reconcile` puts right what a backup of a running service may hold half
 * of, `reseal` seals secrets with the current service key. What it cannot do is one line, and ends it with code 1.
 */
export async function runBackup(
  config: MigrationConfig,
  storage: ServiceStorage,
  args: readonly string[] = process.argv.slice(2),
  say: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<void> {
  try {
    await backup(config, storage, args, say);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

/** The same without the process. */
export async function backup(
  { mongo, keyring }: MigrationConfig,
  storage: ServiceStorage,
  [command = "", folder, ...rest]: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const needsFolder = ["create", "verify", "restore"].includes(command);
  if (
    (!needsFolder && !["reconcile", "reseal"].includes(command)) ||
    needsFolder !== (folder !== undefined) ||
    rest.length > 0
  )
    throw new Error(usage);
  const total = (collections: Readonly<Record<string, { documents: number }>>): string =>
    `${Object.values(collections).reduce((sum, { documents }) => sum + documents, 0)} documents of ${Object.keys(collections).length} collections`;
  if (command === "verify") {
    const { collections, started_at, database } = await verifyBackup(folder ?? "");
    say(`${database} of ${started_at} is whole: ${total(collections)}`);
    return;
  }
  const reseal = async (connection: MongoConnection): Promise<void> => {
    const { resealed, unopened } = await resealAll(connection, keyring, storage.sealed);
    say(`${resealed} secrets are sealed with the current key`);
    for (const field of unopened) say(`no key of the ring opens ${field}`);
    if (unopened.length > 0)
      throw new Error("give the key that sealed them in SERVICE_KEY_PREVIOUS, or enter them again");
  };
  const connection = await connectMongo({ ...mongo, isPatient: true });
  try {
    if (command === "create") {
      const made = await writeBackup(connection, folder ?? "", storage.leases ?? []);
      say(`${made.database} is backed up: ${total(made.collections)}`);
      if (!made.is_snapshot) say("not as of one point in time: this server offers no snapshot");
      return;
    }
    openStorage(storage, connection, keyring);
    if (command === "restore") {
      const restored = await restoreBackup(connection, folder ?? "");
      say(`${restored.database} of ${restored.started_at} is restored: ${total(restored.collections)}`);
      await buildIndexes(connection, say);
      await noteSchema(connection, new Date());
    }
    if (command !== "reseal") await storage.reconcile?.(connection, say);
    if (command !== "reconcile") await reseal(connection);
  } finally {
    await connection.close();
  }
}
