import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "@platform/contracts/errors";
import { newId } from "@platform/kit/process/secrets";
import { ServiceError } from "@platform/kit/rpc/errors";
import { contractViolation, errorAnswer, knownError } from "../pipeline/errors.ts";
import { isFreeToAnswer } from "./send-answer.ts";

/** Returns the error for a request that Node's HTTP parser rejected with this error code. */
function errorOf(parserCode: string | undefined): ServiceError {
  const refuse = (code: ErrorCode, message: string): ServiceError => new ServiceError(code, message);
  switch (parserCode) {
    case "HPE_HEADER_OVERFLOW":
      return refuse("payload_too_large", "The request's headers are larger than 8 KiB, or more than 64.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return refuse("deadline_exceeded", "The request did not arrive in time.");
    default:
      return contractViolation([{ path: "/", code: "invalid_format", message: "must be well-formed HTTP" }]);
  }
}

/**
 * Sends the error response for a request that the parser rejected, if a response is possible, and closes the
 * connection.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  if (!isFreeToAnswer(socket)) {
    socket.destroySoon();
    return;
  }
  const correlationId = newId();
  const answer = errorAnswer(knownError(errorOf(error.code)), correlationId, null);
  const lines = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? "Error"}`,
    "Content-Type: application/json; charset=utf-8",
    `X-Correlation-ID: ${correlationId}`,
    "Cache-Control: no-store",
    "Connection: close",
    `Content-Length: ${Buffer.byteLength(answer.body)}`,
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${answer.body}`);
}
