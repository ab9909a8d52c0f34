import type { IncomingMessage } from "node:http";

const lingerMs = 5_000;

/**
 * Reads and drops what a refused sender still sends. Closing at once would reset the connection, and a reset can overtake the answer. A sender
 * that continues for five seconds is cut off.
 */
export function discardBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) {
    request.resume();
    return;
  }
  const cutOff = setTimeout(() => request.socket.destroy(), lingerMs);
  const stop = (): void => clearTimeout(cutOff);
  request.once("end", stop).once("close", stop);
  request.resume();
}
