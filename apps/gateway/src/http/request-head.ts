import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Violation } from "@platform/contracts/violations";
import { isUuid } from "@platform/kit/process/secrets";

const fault = (path: Violation["path"], message: string): Violation => ({ path, code: "invalid_format", message });

/**
 * Returns a violation if the framing of a request is ambiguous, otherwise null. Node accepts such requests, but two
 * parsers may read them differently (request smuggling, CWE-444). The function rejects two Host headers or none,
 * targets in absolute form, Transfer-Encoding in HTTP/1.0 or together with Content-Length, unknown expectations, and
 * versions other than HTTP/1.0 and 1.1. Only HTTP/1.1 requires a Host header (RFC 9112, 3.2); the health checks of many
 * load balancers send HTTP/1.0 without one.
 */
export function requestLineFault(request: IncomingMessage): Violation | null {
  const { headers, httpVersion, rawHeaders, url = "" } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return fault("/", "must be HTTP/1.1");
  if (!url.startsWith("/")) return fault("/", "must have a path as its target");
  let hosts = 0;
  let lengths = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === "host") hosts += 1;
    else if (name === "content-length") lengths += 1;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return fault("header:Host", "must be sent exactly once");
  if (lengths > 1) return fault("header:Content-Length", "must be sent at most once");
  const { "transfer-encoding": encoding, expect } = headers;
  if (encoding !== undefined) {
    if (httpVersion === "1.0") return fault("header:Transfer-Encoding", "must not be sent with HTTP/1.0");
    if (lengths > 0) return fault("header:Transfer-Encoding", "must not be sent beside Content-Length");
    if (encoding.toLowerCase() !== "chunked") return fault("header:Transfer-Encoding", "must be chunked");
  }
  if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
    return fault("header:Expect", "must be 100-continue");
  }
  return null;
}

/** Returns the correlation id of a request: its X-Correlation-ID if that is a UUID, otherwise a new id. */
export function correlationIdOf(request: Pick<IncomingMessage, "headers">): {
  correlationId: string;
  isMalformed: boolean;
} {
  const header = request.headers["x-correlation-id"];
  const isGiven = typeof header === "string" && isUuid(header);
  return {
    correlationId: isGiven ? header.toLowerCase() : newCorrelationId(),
    isMalformed: header !== undefined && !isGiven,
  };
}

/**
 * Creates a UUIDv7 (RFC 9562). Every request needs one, and drawing entropy for each is a measurable cost. The random
 * part is therefore taken from a UUIDv4, which Node draws from a pool.
 */
export function newCorrelationId(nowMs: number = Date.now()): string {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
