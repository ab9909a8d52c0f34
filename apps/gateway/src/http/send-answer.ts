import type { ServerResponse } from "node:http";
import type { Answer } from "../pipeline/exchange.ts";
import { markClosing } from "./connections.ts";

/** Headers of every answer of the API: never cached, never sniffed. */
const fixedHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/**
 * Writes an answer. A body refused for its size is not read to its end, so its connection is closed, as for every answer with
 * `connection: close` while the request still arrives.
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

/** How long a refused sender may continue before its connection is closed. */
const lingerMs = 5_000;

/**
 * Sends the whole answer at once, but closes the connection only when the sender has stopped. Closing while bytes arrive would reset the
 * connection, and the reset can overtake the answer. Bytes that still arrive are dropped.
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
