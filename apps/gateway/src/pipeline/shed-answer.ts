import type { ServerResponse } from "node:http";
import type { NamedOperation } from "@platform/contracts/operations";
import { keepAliveTimeoutMs, requestsPerConnectionMax } from "@platform/service-kit/http/serve-http";
import { sendAnswer } from "./send-answer.ts";

/** The envelope of dependency_unavailable, written by hand: under overload this is what is answered most. */
export function shedBody(correlationId: string): string {
  return `{"error":{"code":"dependency_unavailable","message":"The platform is at its limit; try again shortly.","retryable":true,"correlation_id":"${correlationId}","details":{}}}`;
}

/** The headers every answer has, and those of this one: names and values in turn. */
function shedHeaders(operation: NamedOperation, correlationId: string, body: string): string[] {
  return [
    ...["content-type", "application/json; charset=utf-8", "cache-control", "no-store"],
    ...["x-content-type-options", "nosniff", "x-correlation-id", correlationId, "retry-after", "1"],
    ...(operation.cors === true ? corsHeaders : []),
    ...["content-length", `${body.length}`],
  ];
}

const corsHeaders = ["access-control-allow-origin", "*", "access-control-expose-headers", "X-Correlation-ID"];

/** Writes that envelope, and reads nothing more of the request than has come. */
export function sendShed(response: ServerResponse, operation: NamedOperation, correlationId: string): void {
  if (response.destroyed) return;
  const body = shedBody(correlationId);
  if (response.getHeader("connection") === "close") {
    sendAnswer(response, { kind: "body", status: 503, headers: { "retry-after": "1" }, body }, correlationId, {});
    return;
  }
  response.writeHead(503, shedHeaders(operation, correlationId, body));
  // All of it is ASCII: Node then writes head and body as they are.
  response.end(body, "latin1");
}

/** The same answer as it goes over the wire, with what Node would add. */
export function shedText(operation: NamedOperation, correlationId: string): string {
  const body = shedBody(correlationId);
  const headers = shedHeaders(operation, correlationId, body);
  let text = "HTTP/1.1 503 Service Unavailable\r\n";
  for (let index = 0; index < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${text}Date: ${httpDate()}\r\n${keepAliveLines}\r\n${body}`;
}

const keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveTimeoutMs / 1_000}, max=${requestsPerConnectionMax}\r\n`;

let dateOfSecond = { second: 0, text: "" };

/** The time as HTTP writes it (RFC 9110, 5.6.7), made once a second. */
function httpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1_000);
  if (dateOfSecond.second !== second) dateOfSecond = { second, text: new Date(nowMs).toUTCString() };
  return dateOfSecond.text;
}
