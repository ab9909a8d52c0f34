import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { inSpan, isTracing } from "../process/spans.ts";

/**
 * Wraps a listener so that every request gets a span in the trace of its `traceparent`, which ends with the response.
 * Use it only for ports that the gateway alone can reach. The path is not recorded, because paths of files and pages
 * contain tokens.
 */
export function traceServed(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { traceparent: parent } = request.headers;
    if (!isTracing() || typeof parent !== "string") {
      listener(request, response);
      return;
    }
    const method = request.method ?? "";
    void inSpan(method, { kind: "server", parent }, (span) => {
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
