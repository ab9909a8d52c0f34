import mongoose, { type Connection, type Model } from "mongoose";
import { isTracing } from "../process/spans.ts";
import { failCommandsOfClosedConnections } from "./closed-connections.ts";
import { traceMongoCommands } from "./mongo-spans.ts";
import { installReadLimit } from "./read-limit.ts";

// With "throw", a query on an unknown path is an error. Without it, the path would be removed, and an empty filter
// matches every document. Strings of callers cannot become query operators, because every value comes from a typed
// protobuf message.
mongoose.set("strictQuery", "throw");
failCommandsOfClosedConnections();
installReadLimit();

/** A connection to a service's own database, for code that passes the connection on without using it. */
export type MongoConnection = Connection;

/** A collection's model, for code that does not depend on the fields of its documents. */
export type MongoModel<D> = Model<D>;

/** Location and options of a service's database. */
export type MongoSettings = { readonly uri: string; readonly database: string; readonly autoIndex: boolean };

/**
 * Connects to a service's own database with settings that lose no acknowledged write: majority write concern with
 * journal, primary reads, and no buffering of commands while disconnected.
 */
export async function connectMongo(options: {
  uri: string;
  database: string;
  maxPoolSize?: number;
  /** True for the migration step: commands have no timeout, because building an index may take long. */
  isPatient?: boolean;
}): Promise<Connection> {
  const connection = mongoose.createConnection(options.uri, {
    dbName: options.database,
    writeConcern: { w: "majority", journal: true, ...(options.isPatient === true ? {} : { wtimeoutMS: 5_000 }) },
    retryWrites: true,
    readPreference: "primary",
    maxPoolSize: options.maxPoolSize ?? 50,
    serverSelectionTimeoutMS: 5_000,
    // Detects servers that stop responding. The monitor sends a request every 5 s and closes the connections after 5 s
    // without a reply. Each command waits at most 10 s.
    heartbeatFrequencyMS: 5_000,
    connectTimeoutMS: 5_000,
    socketTimeoutMS: options.isPatient === true ? 0 : 10_000,
    // The driver must not retry, because another attempt would worsen an overload. Instead, the caller is asked to
    // retry later.
    maxAdaptiveRetries: 0,
    // Validation of UTF-8 is off, because it takes 0.8 ms per megabyte. A service reads only strings that it has
    // written as UTF-8.
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

/** Creates a connection that is never opened, for code that only inspects models. */
export const offlineConnection = (): Connection => mongoose.createConnection();

/** Time between two writes of the check, and maximum duration of one, in milliseconds. */
const writeEveryMs = 5_000;
const writeMsMax = 5_000;

/**
 * Creates the check that the database works. It writes with the connection's write concern, because a server that
 * responds to `ping` may have no primary, no majority, or a full disk. A call of the check does not wait for the write,
 * which may be slow under load. A write that was rejected or late is reported until the next one.
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
