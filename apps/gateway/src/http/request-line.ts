import type { IncomingMessage } from "node:http";
import type { Violation } from "@platform/contracts/violations";

const fault = (path: Violation["path"], message: string): Violation => ({ path, code: "invalid_format", message });

/**
 * The fault in a request's framing, or null. Node accepts these, and two parsers may read them differently (request smuggling, CWE-444): no or
 * two Host headers, targets in absolute form, Transfer-Encoding in HTTP/1.0 or beside Content-Length, unknown expectations, and versions other
 * than HTTP/1.0 and 1.1.
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
  if (hosts !== 1) return fault("header:Host", "must be sent exactly once");
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
