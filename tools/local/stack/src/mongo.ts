import { existsSync, mkdirSync } from "node:fs";
import { totalmem } from "node:os";
import { delimiter, join } from "node:path";
import { MongoClient } from "mongodb";
import type { ChildSpec } from "./child.ts";

/** The kind of MongoDB that a stack uses. */
export type MongoChoice =
  | { readonly kind: "given"; readonly uri: string }
  | { readonly kind: "mongod"; readonly uri: string; readonly path: string }
  | { readonly kind: "embedded"; readonly uri: string };

/** Chooses MONGODB_URI if it is set, otherwise a mongod on PATH as a replica set of one node, otherwise the embedded engine. */
export function chooseMongo(env: NodeJS.ProcessEnv, port: number): MongoChoice {
  const given = env.MONGODB_URI;
  if (given !== undefined && given !== "") return { kind: "given", uri: given };
  const path = (env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "mongod"))
    .find((candidate) => existsSync(candidate));
  const uri = `mongodb://127.0.0.1:${port}`;
  return path === undefined ? { kind: "embedded", uri } : { kind: "mongod", uri: `${uri}/?replicaSet=rs0`, path };
}

/**
 * V8 flags for the embedded engine, which keeps its documents as BSON outside of V8's heap. By default, V8 would run a
 * full collection whenever that memory grew by 64 MB. With these flags, it runs one after the files were read
 * (`--expose-gc`), and then whenever heap and outside memory together have doubled. Young objects get more space, so
 * that parsed documents are freed before they become old.
 */
const embeddedCollection = [
  "--external-memory-accounted-in-global-limit",
  "--heap-growing-percent=100",
  "--expose-gc",
  "--max-semi-space-size=64",
];

/** Returns the function that starts the chosen MongoDB, or null if it already runs elsewhere. */
export function mongoSpec(
  choice: MongoChoice,
  options: { root: string; directory: string; port: number },
): Omit<ChildSpec, "env" | "logPath"> | null {
  const data = join(options.directory, "mongo");
  mkdirSync(data, { recursive: true });
  switch (choice.kind) {
    case "given":
      return null;
    case "mongod":
      return {
        name: "mongo",
        command: choice.path,
        args: ["--replSet", "rs0", "--port", `${options.port}`, "--bind_ip", "127.0.0.1", "--dbpath", data],
        cwd: options.root,
      };
    case "embedded":
      return {
        name: "mongo",
        command: process.execPath,
        args: [
          // The limit is raised because everything is stored in memory, and V8's default of about 4 GiB is too small for a long run.
          `--max-old-space-size=${Math.floor(totalmem() / 2 ** 21)}`,
          ...embeddedCollection,
          join(options.root, "tools/embedded-mongo/src/main.ts"),
          "--port",
          `${options.port}`,
          "--data",
          data,
        ],
        cwd: options.root,
      };
  }
}

/** Returns whether the server responds. A fresh mongod is initiated as a replica set of one. */
export async function isMongoReady(choice: MongoChoice, port: number): Promise<boolean> {
  if (choice.kind === "mongod") await initiateReplicaSet(port);
  const client = new MongoClient(choice.uri, { serverSelectionTimeoutMS: 500, connectTimeoutMS: 500 });
  try {
    await client.db("admin").command({ ping: 1 });
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

async function initiateReplicaSet(port: number): Promise<void> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: 500,
  });
  try {
    await client
      .db("admin")
      .command({ replSetInitiate: { _id: "rs0", members: [{ _id: 0, host: `127.0.0.1:${port}` }] } });
  } catch {
    // The server is not ready yet, or already a replica set; the following ping distinguishes the two.
  } finally {
    await client.close();
  }
}
