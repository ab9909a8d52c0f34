import { createRequire } from "node:module";
import type { Socket } from "node:net";

/** The used part of the driver's Connection (mongodb 7, lib/cmap/connection.js), which it does not export. */
type DriverConnection = { readonly socket: Socket; cleanup(error: Error): void };

/**
 * Makes the driver's commands fail when their connection closes before they are written.
 *
 * A command that the socket does not accept immediately waits for "drain" or "error". A closed socket emits neither, so the command waits for ever.
 * When it is the monitor's command, no server is ever found again. The wait came with the driver's NODE-5993; no ticket for this is known. Remove
 * this and keep its tests once the driver is repaired.
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
    // Releases the waiting command, which then finds the connection's error.
    this.socket.emit("drain");
  };
}
