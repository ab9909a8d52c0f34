import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

// Kept beside the sockets, because Node's parser goes on with the bytes behind a request whose answer already said that this was the last.
const closing = new WeakSet<Duplex>();
const latest = new WeakMap<Duplex, ServerResponse>();

/** The connection ends with the present answer: nothing that follows on it is a request of ours any more. */
export function markClosing(socket: Duplex): void {
  closing.add(socket);
}

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * Remembers which answer is being made on the connection, until it is made: kept longer, the last answer of every idle connection would be
 * copied by each garbage collection.
 */
export function noteAnswer(response: ServerResponse): void {
  latest.set(response.req.socket, response);
  response.on("close", forget);
}

function forget(this: ServerResponse): void {
  const { socket } = this.req;
  if (latest.get(socket) === this) latest.delete(socket);
}

/** The answer to the last request that came on the connection, while it is being made. */
export function latestAnswer(socket: Duplex): ServerResponse | undefined {
  return latest.get(socket);
}

/** Has no request come on the connection after the one this answers? */
export function isLatestAnswer(response: ServerResponse): boolean {
  return latest.get(response.req.socket) === response;
}

/**
 * May an answer still be written to the connection past Node's own order? Not while another one is under way, which it would precede, and
 * not behind the last one: either would be taken for the answer to another request.
 */
export function isFreeToAnswer(socket: Duplex): boolean {
  return !closing.has(socket) && latest.get(socket)?.writableFinished !== false;
}

/** Is the connection open, between two requests, and read? Asked when an answer has been made. */
export function isFreeToRead(socket: Socket): boolean {
  return !socket.destroyed && !closing.has(socket) && !latest.has(socket) && !socket.isPaused();
}
