import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

// State of sockets, because Node's parser continues with the bytes behind a request whose answer closes the connection.
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

/** The connection closes with the present answer, so nothing that follows is read as a request. */
export function markClosing(socket: Duplex): void {
  closing.add(socket);
}

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * May an answer be written to the connection outside of Node's order? Not while another answer is in progress, and not behind the last one: either
 * would be taken for the answer to another request.
 */
export function isFreeToAnswer(socket: Duplex): boolean {
  return !closing.has(socket) && isIdle(socket);
}
