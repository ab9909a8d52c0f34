import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

// Kept beside the sockets, because Node's parser goes on with the bytes behind a request whose answer already said that this was the last.
const closing = new WeakSet<Duplex>();
const underWay = new WeakMap<Duplex, number>();

/** Notes that an answer is being made on its connection, until it has left. */
export function noteAnswer(response: ServerResponse): void {
  const { socket } = response.req;
  underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
  response.on("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
}

/** Is no request of the connection being answered? */
export function isIdle(socket: Duplex): boolean {
  return (underWay.get(socket) ?? 0) === 0;
}

/** The connection ends with the present answer: nothing that follows on it is a request of ours any more. */
export function markClosing(socket: Duplex): void {
  closing.add(socket);
}

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * May an answer still be written to the connection past Node's own order? Not while another one is under way, which it would precede, and
 * not behind the last one: either would be taken for the answer to another request.
 */
export function isFreeToAnswer(socket: Duplex): boolean {
  return !closing.has(socket) && isIdle(socket);
}
