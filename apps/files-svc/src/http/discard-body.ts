import type { IncomingMessage } from "node:http";

const lingerMs = 5_000;

/**
 * Discards the rest of the body of a rejected request. If the connection were closed immediately, it would be reset,
 * and the reset can overtake the response. After five seconds, the connection is closed.
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
