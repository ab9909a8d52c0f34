import type { Span } from "@opentelemetry/api";
import type { Connection } from "mongoose";
import { beginChild, endChild } from "./spans.ts";

/** Maintenance commands of the driver. */
const notTraced = new Set(["hello", "ping", "isMaster", "endSessions", "saslStart", "saslContinue"]);

/**
 * Gives every command within a span its own span, such as `find events.domain_events`. The command's values are not recorded.
 * The connection must have been made with `monitorCommands`.
 */
export function traceMongoCommands(connection: Connection): void {
  const client = connection.getClient();
  const spans = new Map<number, Span>();
  client.on("commandStarted", ({ requestId, commandName, databaseName, command }) => {
    if (notTraced.has(commandName)) return;
    const collection = String(command[commandName]);
    const span = beginChild(`${commandName} ${databaseName}.${collection}`, {
      "db.system.name": "mongodb",
      "db.operation.name": commandName,
      "db.namespace": databaseName,
      "db.collection.name": collection,
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
