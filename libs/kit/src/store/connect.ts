import mongoose, { type Connection, type Model } from "mongoose";
import { isTracing } from "../process/spans.ts";
import { failCommandsOfClosedConnections } from "./closed-connections.ts";
import { traceMongoCommands } from "./mongo-spans.ts";
import { installReadLimit } from "./read-limit.ts";

// A caller's string cannot become an operator, because every value comes out of a typed protobuf message. A query on an unknown path is a bug, not an
// empty filter that matches everything.
mongoose.set("strictQuery", "throw");
failCommandsOfClosedConnections();
installReadLimit();

/** A connection to a service's own database, for code that only passes it on. */
export type MongoConnection = Connection;

/** A collection's model, for mechanisms that do not depend on what it stores. */
export type MongoModel<D> = Model<D>;

/** Location of a service's database. */
export type MongoSettings = { readonly uri: string; readonly database: string; readonly autoIndex: boolean };

/**
 * Connects to a service's own database with settings that lose nothing acknowledged: majority write concern with
 * journal, primary reads, no buffering of commands while disconnected.
 */
export async function connectMongo(options: {
  uri: string;
  database: string;
  maxPoolSize?: number;
  /** For the migration step: commands have no timeout, because building an index may take long. */
  isPatient?: boolean;
}): Promise<Connection> {
  const connection = mongoose.createConnection(options.uri, {
    dbName: options.database,
    writeConcern: { w: "majority", journal: true, ...(options.isPatient === true ? {} : { wtimeoutMS: 5_000 }) },
    retryWrites: true,
    readPreference: "primary",
    maxPoolSize: options.maxPoolSize ?? 50,
    serverSelectionTimeoutMS: 5_000,
    // Detects servers that fall silent. The monitor sends a request every 5 s and closes the connections after 5 s
    // without a reply; each command waits at most 10 s.
    heartbeatFrequencyMS: 5_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: options.isPatient === true ? 0 : 10_000,
    // The driver must not retry, because another attempt would worsen an overload. The caller is asked to retry later.
    maxAdaptiveRetries: 0,
    // The driver would look at each character of each string for a replacement character, 0.8 ms a megabyte. What a service reads, it wrote: as UTF-8.
    enableUtf8Validation: false,
    bufferCommands: false,
    autoIndex: false,
    autoCreate: false,
    monitorCommands: isTracing(),
  });
  try {
    await connection.asPromise();
  } catch (error) {
    await connection.close();
    throw error;
  }
  if (isTracing()) traceMongoCommands(connection);
  return connection;
}

/** A connection that is never opened, for code that only inspects models. */
export const offlineConnection = (): Connection => mongoose.createConnection();

/** Time between two writes of the check, and longest duration of one, in milliseconds. */
const writeEveryMs = 5_000;
const writeMsMax = 5_000;

/**
 * Creates the check whether the database works. It writes with the connection's write concern, because a server that
 * responds to `ping` may have no primary, no majority, or a full disk. It does not wait for the write, which may be
 * slow under load; a rejected or late write is reported until the next one.
 * @returns a function that returns true, false without a connection, or the server's error message; rejects if there is
 * no response
 */
export function mongoCheck(connection: Connection): () => Promise<boolean | string> {
  const checks = connection.collection<{ _id: string }>("keyring_checks");
  let wroteAtMs = Number.NEGATIVE_INFINITY;
  let isWriting = false;
  let refusal: string | null = null;
  const write = async (): Promise<void> => {
    isWriting = true;
    wroteAtMs = performance.now();
    await checks.updateOne({ _id: "health" }, { $set: { at: new Date() } }, { upsert: true }).then(
      () => {
        refusal = null;
      },
      (error: Error) => {
        refusal = error.message;
      },
    );
    isWriting = false;
  };
  return async () => {
    await connection.db?.admin().ping();
    if (connection.readyState !== mongoose.ConnectionStates.connected) return false;
    const sinceMs = performance.now() - wroteAtMs;
    if (isWriting) return sinceMs < writeMsMax ? (refusal ?? true) : "a write has not been confirmed for 5 s";
    if (sinceMs >= writeEveryMs) void write();
    return refusal ?? true;
  };
}
