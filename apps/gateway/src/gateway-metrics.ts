import { createMetrics, durationBucketsSeconds, isTracing, type Metrics } from "@platform/kit/process/telemetry";
import { Counter, Gauge, Histogram } from "@prometheus-io/client";

/** The gateway's instruments, in addition to those that every process has. */
export type GatewayMetrics = Metrics & {
  readonly requestDuration: Pick<Histogram<"operation" | "status" | "code">, "observe">;
  readonly requestsInFlight: Gauge;
  readonly requestsShed: Counter<"reason">;
  readonly quotaRefusals: Counter<"resource">;
  readonly idempotencyReplays: Counter<"operation">;
  readonly credentialLookups: Counter<"result">;
  readonly usageRefused: Counter;
  readonly requestLogDropped: Counter;
  readonly redisUsedBytes: Gauge;
  readonly redisMaxBytes: Gauge;
};

/** Creates the metrics registry of the gateway. */
export function createGatewayMetrics(options: { processMetrics?: boolean } = {}): GatewayMetrics {
  const metrics = createMetrics("gateway", options);
  const registers = [metrics.registry];
  return {
    ...metrics,
    requestDuration: new Histogram({
      name: "platform_http_request_duration_seconds",
      help: "Duration of each request, by operation, status and error code.",
      labelNames: ["operation", "status", "code"],
      buckets: durationBucketsSeconds,
      enableExemplars: isTracing(),
      registers,
    }),
    requestsInFlight: new Gauge({
      name: "platform_http_requests_in_flight",
      help: "Requests being worked on now.",
      registers,
    }),
    requestsShed: new Counter({
      name: "platform_http_requests_shed_total",
      help: "Requests refused: in_flight when the process was full, body_bytes when there was no memory for a large body, parsing when its turn did not come in time, redis_memory when Redis was nearly full and a request without a credential would have written to it.",
      labelNames: ["reason"],
      registers,
    }),
    quotaRefusals: new Counter({
      name: "platform_quota_refusals_total",
      help: "Requests refused because a hard quota was reached.",
      labelNames: ["resource"],
      registers,
    }),
    idempotencyReplays: new Counter({
      name: "platform_idempotency_replays_total",
      help: "Answers replayed for a repeated Idempotency-Key.",
      labelNames: ["operation"],
      registers,
    }),
    credentialLookups: new Counter({
      name: "platform_credential_lookups_total",
      help: "Authentications by where they were answered: cache, identity or refused.",
      labelNames: ["result"],
      registers,
    }),
    usageRefused: new Counter({
      name: "platform_usage_refused_total",
      help: "Counts of usage that identity-svc rejected and that are therefore lost.",
      registers,
    }),
    requestLogDropped: new Counter({
      name: "platform_request_log_dropped_total",
      help: "Requests that are not in the request log because there were too many of them, or because identity-svc rejected them.",
      registers,
    }),
    redisUsedBytes: new Gauge({
      name: "platform_redis_memory_used_bytes",
      help: "Memory that the fullest Redis uses.",
      registers,
    }),
    redisMaxBytes: new Gauge({
      name: "platform_redis_memory_max_bytes",
      help: "Memory that this Redis may use at most (maxmemory); 0 for no limit.",
      registers,
    }),
  };
}
