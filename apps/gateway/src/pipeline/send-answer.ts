import type { ServerResponse } from "node:http";
import type { Answer } from "./exchange.ts";

/** Headers of every answer of the API: never cached, never sniffed. */
const fixedHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;

/** Writes an answer. A body refused for its size is not read to its end: its connection goes with it. */
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
  const isCutOff = answer.status === 413;
  response.writeHead(answer.status, {
    ...fixedHeaders,
    "x-correlation-id": correlationId,
    ...headers,
    ...answer.headers,
    "content-length": Buffer.byteLength(answer.body),
    ...(isCutOff ? { connection: "close" } : {}),
  });
  response.end(answer.body);
}
