import type { Span } from "@opentelemetry/api";
import type { Connection } from "mongoose";
import { beginChild, endChild } from "../process/spans.ts";

/** Maintenance commands of the driver, which get no spans. */
const notTraced = new Set(["hello", "ping", "isMaster", "endSessions", "saslStart", "saslContinue"]);

/**
 * Creates a span, such as `find events.domain_events`, for every command that runs within a span, by the driver's
 * command monitoring. Neither the values in a command nor error messages are recorded, because the message of a
 * duplicate key contains the value. OpenTelemetry's instrumentation-mongodb is not used, because it puts that message
 * into the span's status and has no hook for failed commands. The connection must have been created with
 * `monitorCommands`.
 */
export function traceMongoCommands(connection: Connection): void {
  const client = connection.getClient();
  const spans = new Map<number, Span>();
  client.on("commandStarted", ({ requestId, commandName, databaseName, command, address }) => {
    if (notTraced.has(commandName)) return;
    const collection = String(command[commandName]);
    const span = beginChild(`${commandName} ${databaseName}.${collection}`, {
      "db.system.name": "mongodb",
      "db.operation.name": commandName,
      "db.namespace": databaseName,
      "db.collection.name": collection,
      ...serverAttributes(address),
    });
    if (span !== null) spans.set(requestId, span);
  });
  const end = (requestId: number, error?: unknown): void => {
    const span = spans.get(requestId);
    if (span === undefined) return;
    spans.delete(requestId);
    endChild(span, error);
  };
  client.on("commandSucceeded", ({ requestId }) => end(requestId));
  client.on("commandFailed", ({ requestId, failure }) => end(requestId, failure));
}

/** Returns the attributes `server.address` and `server.port` for the driver's host:port. */
function serverAttributes(address: string): { "server.address": string; "server.port"?: number } {
  const [, host = address, port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(address) ?? [];
  return { "server.address": host, ...(port === undefined ? {} : { "server.port": Number(port) }) };
}
