import type { IncomingMessage } from "node:http";

/**
 * What is wrong with a request before its meaning is looked at, or null. Node lets these through, and two parsers on the way may read them
 * differently (request smuggling, CWE-444): two Host headers, targets in absolute form, Transfer-Encoding in HTTP/1.0 or beside
 * Content-Length.
 */
export function requestLineFault(request: IncomingMessage): string | null {
  const { headers, rawHeaders, url = "" } = request;
  if (!url.startsWith("/")) return "The request target must be a path.";
  let hosts = 0;
  let lengths = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase();
    if (name === "host") hosts += 1;
    else if (name === "content-length") lengths += 1;
  }
  if (hosts !== 1) return "Exactly one Host header is required.";
  if (lengths > 1) return "At most one Content-Length header is allowed.";
  if (headers["transfer-encoding"] !== undefined) {
    if (request.httpVersion === "1.0") return "HTTP/1.0 has no Transfer-Encoding.";
    if (lengths > 0) return "Transfer-Encoding and Content-Length exclude each other.";
    if (headers["transfer-encoding"].toLowerCase() !== "chunked")
      return "The only Transfer-Encoding accepted is chunked.";
  }
  return null;
}
