import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { inSpan, isTracing } from "./spans.ts";

/**
 * Gives every request a span that belongs to the trace its `traceparent` names, from its head to the end of its answer. For ports that only
 * the gateway reaches: there the header is the gateway's. The path is not recorded: those of files and pages hold tokens.
 */
export function traceServed(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { traceparent: parent } = request.headers;
    if (!isTracing() || typeof parent !== "string") {
      listener(request, response);
      return;
    }
    const method = request.method ?? "";
    void inSpan(`HTTP ${method}`, { kind: "server", parent }, (span) => {
      const closed = new Promise<void>((resolve) => response.once("close", resolve));
      listener(request, response);
      return closed.then(() => {
        span.setAttributes({
          "http.request.method": method,
          "http.response.status_code": response.statusCode,
          ...(response.writableFinished ? {} : { "error.type": "aborted" }),
        });
      });
    });
  };
}
