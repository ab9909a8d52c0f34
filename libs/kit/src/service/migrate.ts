import { parseArgs } from "node:util";
import { connectMongo } from "../store/connect.ts";
import { runDataMigrations } from "../store/data-migrations.ts";
import { buildIndexes, noteSchema } from "../store/schema.ts";
import { type ShardZone, shardCommands, shardDatabase } from "../store/sharding.ts";
import type { MigrationConfig } from "./service-config.ts";
import { openStorage, type ServiceStorage } from "./storage.ts";

type Options = {
  readonly args?: readonly string[];
  readonly say?: (line: string) => void;
};

/**
 * Runs the migration step of a release, which is needed if MONGODB_AUTO_INDEX is off. It builds the indexes of every
 * store, migrates data, records that this is done, and exits. The release's processes wait for that record. The step
 * may run twice, even concurrently. It has no timeout, because building an index of a large collection takes longer
 * than any other command. `--shard` also shards the collections of a sharded cluster, `--zone NAME=CLIENT` keeps a
 * Project Client's documents in a zone, and `--dry-run` only prints the commands of both.
 */
export async function migrate(
  { mongo, keyring }: MigrationConfig,
  storage: ServiceStorage,
  { args = [], say = (line) => void process.stdout.write(`${line}\n`) }: Options = {},
): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      shard: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      zone: { type: "string", multiple: true, default: [] },
    },
  });
  const commands = values.shard ? shardCommands(mongo.database, storage.sharding, values.zone.map(readZone)) : [];
  if (values["dry-run"]) {
    for (const command of commands) say(JSON.stringify(command));
    return;
  }
  const connection = await connectMongo({ ...mongo, isPatient: true });
  try {
    openStorage(storage, connection, keyring);
    await buildIndexes(connection, say);
    await runDataMigrations(connection, storage.migrations ?? [], say);
    if (values.shard) await shardDatabase(connection, commands, say);
    await noteSchema(connection, new Date());
  } finally {
    await connection.close();
  }
}

/** Runs the migration step as a process: a failure prints one line and exits with code 1. */
export async function runMigration(readConfig: () => MigrationConfig, storage: ServiceStorage): Promise<void> {
  try {
    await migrate(readConfig(), storage, { args: process.argv.slice(2) });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

function readZone(text: string): ShardZone {
  const [zone = "", clientId = ""] = text.split("=", 2);
  if (zone === "" || clientId === "") throw new Error(`--zone ${text}: must be NAME=CLIENT`);
  return { zone, clientId };
}
