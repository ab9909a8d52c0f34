import mongoose, { type Connection, type Model } from "mongoose";
import { traceMongoCommands } from "../tracing/mongo-spans.ts";
import { isTracing } from "../tracing/spans.ts";
import { failCommandsOfClosedConnections } from "./closed-connections.ts";
import { installReadLimit } from "./read-limit.ts";

// A caller's string cannot become an operator, because every value comes out of a typed protobuf message. A query on an unknown path is a bug, not an
// empty filter that matches everything.
mongoose.set("strictQuery", "throw");
failCommandsOfClosedConnections();
installReadLimit();

/** A connection to a service's own database, for wiring that only passes it on. */
export type MongoConnection = Connection;

/** A collection's model, for mechanisms that only work on what it stores. */
export type MongoModel<D> = Model<D>;

/** Where a service's database is. */
export type MongoSettings = { readonly uri: string; readonly database: string; readonly autoIndex: boolean };

/**
 * Connects to a service's own database so that nothing acknowledged is lost: majority write concern with journal, primary reads, no
 * buffering of commands while disconnected.
 */
export async function connectMongo(options: {
  uri: string;
  database: string;
  maxPoolSize?: number;
  /** For the migration step: no time-out ends a command, however long its index takes. */
  isPatient?: boolean;
}): Promise<Connection> {
  const connection = mongoose.createConnection(options.uri, {
    dbName: options.database,
    writeConcern: { w: "majority", journal: true, ...(options.isPatient === true ? {} : { wtimeoutMS: 5_000 }) },
    retryWrites: true,
    readPreference: "primary",
    maxPoolSize: options.maxPoolSize ?? 50,
    serverSelectionTimeoutMS: 5_000,
    socketTimeoutMS: options.isPatient === true ? 0 : 20_000,
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

/** A connection to nowhere, for what only looks at models. */
export const offlineConnection = (): Connection => mongoose.createConnection();

/** Does the server answer? For readiness checks. */
export async function pingMongo(connection: Connection): Promise<boolean> {
  await connection.db?.admin().ping();
  return connection.readyState === mongoose.ConnectionStates.connected;
}
