import { inSpan, isTracing } from "@platform/service-kit/tracing/spans";
import type { Stage } from "./exchange.ts";

/**
 * Runs the request within a span named after its operation. Each request begins a trace of its own; a caller's `traceparent` is linked,
 * not continued, so that outsiders decide neither which requests are recorded nor under which id.
 */
export const trace: Stage = (exchange, next) => {
  if (!isTracing()) return next();
  const { operation, request, correlationId } = exchange;
  const header = request.headers.traceparent;
  const link = typeof header === "string" ? header : undefined;
  return inSpan(operation.id, { kind: "server", link }, async (span) => {
    const answer = await next();
    span.setAttributes({
      "http.request.method": operation.method,
      "http.route": `/api/v1${operation.path}`,
      "http.response.status_code": answer.kind === "body" ? answer.status : exchange.response.statusCode,
      "platform.correlation_id": correlationId,
      ...(exchange.client === null ? {} : { "platform.project_client_id": exchange.client.id }),
      ...(exchange.errorCode === null ? {} : { "error.type": exchange.errorCode }),
    });
    return answer;
  });
};
