import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { inSpan, isTracing } from "../process/spans.ts";

/**
 * Gives every request a span in the trace of its `traceparent`, until the end of its response. Only for ports that the gateway alone reaches. The
 * path is not recorded, because paths of files and pages contain tokens.
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
