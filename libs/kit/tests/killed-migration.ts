import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { connectMongo } from "../src/store/connect.ts";
import { type DataMigration, runDataMigrations } from "../src/store/data-migrations.ts";

/** Adds the lower-case form of an address, and counts how often it changed a document. */
export const lowerCase: DataMigration = {
  name: "2026-11-25-lower-case-addresses",
  collection: "people",
  pending: { address_lower: { $exists: false } },
  change: ({ address }) => ({ $set: { address_lower: String(address).toLowerCase() }, $inc: { changes: 1 } }),
};

/** Starts the migration in a process of its own, which the test kills. */
export function startMigration({ uri, database }: { uri: string; database: string }) {
  const env = { ...process.env, MONGODB_URI: uri, MONGODB_DATABASE: database };
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url)], {
    stdio: ["ignore", "ignore", "inherit"],
    env,
  });
  const exited = once(child, "exit") as Promise<[number | null, string | null]>;
  return {
    kill: async (): Promise<string | null> => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      const [, signal] = await exited;
      return signal;
    },
  };
}

if (import.meta.main) {
  const { MONGODB_URI: uri = "", MONGODB_DATABASE: database = "" } = process.env;
  const connection = await connectMongo({ uri, database, isPatient: true });
  await runDataMigrations(connection, [lowerCase]);
  await connection.close();
}
