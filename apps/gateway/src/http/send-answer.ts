import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Answer } from "../pipeline/exchange.ts";

// Sockets whose connection is being closed. After a request whose response closes the connection, Node's parser would
// otherwise continue with the following bytes.
const closing = new WeakSet<Duplex>();
const underWay = new WeakMap<Duplex, number>();

/** Records that a response on this connection is in progress, until it has been sent. */
export function noteAnswer(response: ServerResponse): void {
  const { socket } = response.req;
  underWay.set(socket, (underWay.get(socket) ?? 0) + 1);
  response.on("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
}

/** Returns whether the connection has no request in progress. */
export function isIdle(socket: Duplex): boolean {
  return (underWay.get(socket) ?? 0) === 0;
}

/** Marks a connection that closes with the current response, so that nothing after it is read as a request. */
export function markClosing(socket: Duplex): void {
  closing.add(socket);
}

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * Returns whether a response may be written to the connection outside of Node's order. It must not be written while
 * another response is in progress or after the last one, because the client would take it for the response to a
 * different request.
 */
export function isFreeToAnswer(socket: Duplex): boolean {
  return !closing.has(socket) && isIdle(socket);
}

/** Headers of every response of the API: it is never cached, and its type is never guessed. */
const fixedHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/**
 * Writes a response. If a body is rejected for its size, the rest of it is not read, so its connection is closed. The
 * same applies to every response with `connection: close` while the request is still arriving.
 */
export function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  correlationId: string,
  headers: Readonly<Record<string, string>>,
): void {
  if (answer.kind === "streamed") return;
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const isCutOff = !response.req.complete && (answer.status === 413 || response.getHeader("connection") === "close");
  response.writeHead(answer.status, {
    ...fixedHeaders,
    "x-correlation-id": correlationId,
    ...headers,
    ...answer.headers,
    "content-length": Buffer.byteLength(answer.body),
    ...(isCutOff ? { connection: "close" } : {}),
  });
  if (isCutOff || headers.connection === "close") markClosing(response.req.socket);
  if (isCutOff) endAfterRequest(response, answer.body);
  else response.end(answer.body);
}

/** How long the sender of a rejected request may continue before its connection is closed, in milliseconds. */
const lingerMs = 5_000;

/**
 * Sends the whole response immediately, but closes the connection only when the sender has stopped. Closing the
 * connection while bytes arrive would reset it, and the reset could overtake the response. Bytes that still arrive are
 * discarded.
 */
function endAfterRequest(response: ServerResponse, body: string): void {
  const { req: request } = response;
  response.write(body);
  const timer = setTimeout(() => response.end(), lingerMs);
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  request.once("end", end).once("close", end);
  request.unpipe().resume();
}
