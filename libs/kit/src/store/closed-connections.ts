import { createRequire } from "node:module";
import type { Socket } from "node:net";

/**
 * The part of the driver's Connection that is used here (mongodb 7, lib/cmap/connection.js). The driver does not export
 * it.
 */
type DriverConnection = { readonly socket: Socket; cleanup(error: Error): void };

/**
 * Makes the driver's commands fail if their connection closes before they are written.
 *
 * A command that the socket does not accept immediately waits for "drain" or "error". A closed socket emits neither, so
 * the command waits forever. If it is the monitor's command, the driver never finds a server again. The wait was added
 * to the driver by NODE-5993; no ticket for this problem is known. Once the driver is fixed, remove this function and
 * keep its tests.
 */
export function failCommandsOfClosedConnections(): void {
  const { Connection } = createRequire(createRequire(import.meta.url).resolve("mongoose"))(
    "mongodb/lib/cmap/connection.js",
  ) as { Connection?: { prototype: DriverConnection } };
  if (typeof Connection?.prototype.cleanup !== "function") {
    throw new Error("the MongoDB driver has changed: see whether its commands still wait on closed connections");
  }
  const { cleanup } = Connection.prototype;
  Connection.prototype.cleanup = function (error) {
    cleanup.call(this, error);
    // "drain" releases the waiting command, which then finds the connection's error.
    this.socket.emit("drain");
  };
}
