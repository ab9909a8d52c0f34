import { createRequire } from "node:module";
import type { Socket } from "node:net";

/** What is used of the driver's own connection (mongodb 7, lib/cmap/connection.js), which it does not export. */
type DriverConnection = { readonly socket: Socket; cleanup(error: Error): void };

/**
 * Has the driver's commands fail when their connection closes before they are written.
 *
 * A command that the socket does not take at once waits for "drain" or "error". A socket that the server has ended, and that is closed but has not
 * said so yet, answers neither; nor does one that closes while the command waits. Such a command never ended: a caller waited for ever, or
 * the monitor did, and then no server was ever found again. The wait came with
 * the driver's NODE-5993; no ticket for this is known. See docs/decisions/0076-commands-on-closed-connections.md.
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
    // Who waits is let go on, and finds the connection's error next.
    this.socket.emit("drain");
  };
}
