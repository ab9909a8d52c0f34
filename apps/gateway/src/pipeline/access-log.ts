import type { Logger } from "@platform/service-kit/process/logger";
import { observeSeconds } from "@platform/service-kit/process/metrics";
import { activeTraceId } from "@platform/service-kit/tracing/spans";
import type { GatewayMetrics } from "../gateway-metrics.ts";
import type { Stage } from "./exchange.ts";

/** One log line and one observation for each request. The route is the operation's template, so tokens in paths never appear. */
export function accessLog(logger: Logger, metrics: GatewayMetrics): Stage {
  return async (exchange, next) => {
    const answer = await next();
    const durationMs = performance.now() - exchange.startedAtMs;
    const status = answer.kind === "body" ? answer.status : exchange.response.statusCode;
    const code = exchange.errorCode ?? "ok";
    observeSeconds(
      metrics.requestDuration,
      { operation: exchange.operation.id, status: String(status), code },
      durationMs / 1000,
    );
    logger.info(
      {
        correlation_id: exchange.correlationId,
        operation: exchange.operation.id,
        project_client_id: exchange.client?.id,
        status,
        code: exchange.errorCode ?? undefined,
        trace_id: activeTraceId(),
        duration_ms: Math.round(durationMs * 100) / 100,
      },
      "request",
    );
    return answer;
  };
}
