import { defined } from "@platform/kit/process/fields";
import { activeTraceId, inSpan, isTracing, type Logger, observeSeconds } from "@platform/kit/process/telemetry";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { RequestLog } from "../request-log.ts";
import type { Answer, Exchange, Stage } from "./exchange.ts";
import { logRequest } from "./log-request.ts";

/**
 * Runs the request within a span that is named after its operation. Each request starts its own trace. A caller's
 * `traceparent` is only linked, so that callers control neither sampling nor trace ids.
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
      "http.response.status_code": statusOf(exchange, answer),
      "platform.correlation_id": correlationId,
      ...defined({ "platform.project_client_id": exchange.client?.id, "error.type": exchange.errorCode }),
    });
    return answer;
  });
};

/**
 * Creates the stage that writes one log line, one observation and one entry of the request log for each request. It
 * uses the ids of operations instead of paths, so tokens in paths are never logged.
 */
export function accessLog(logger: Logger, metrics: GatewayMetrics, requestLog: RequestLog): Stage {
  return async (exchange, next) => {
    const answer = await next();
    const { operation, correlationId, client, errorCode } = exchange;
    const durationMs = performance.now() - exchange.startedAtMs;
    const status = statusOf(exchange, answer);
    const labels = { operation: operation.id, status: String(status), code: errorCode ?? "ok" };
    observeSeconds(metrics.requestDuration, labels, durationMs / 1000);
    logger.info(
      {
        correlation_id: correlationId,
        operation: operation.id,
        project_client_id: client?.id,
        status,
        code: errorCode ?? undefined,
        trace_id: activeTraceId(),
        duration_ms: Math.round(durationMs * 100) / 100,
      },
      "request",
    );
    if (client !== null) logRequest(requestLog, client, exchange, { status, answer, durationMs });
    return answer;
  };
}

function statusOf({ response }: Exchange, answer: Answer): number {
  return answer.kind === "body" ? answer.status : response.statusCode;
}
