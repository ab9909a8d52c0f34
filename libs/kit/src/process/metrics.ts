import {
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type LabelValues,
  Registry,
  type RegistryContentType,
} from "@prometheus-io/client";
import { activeTraceId, isTracing } from "./spans.ts";

export const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Interval at which the event loop's delay is sampled; the reported delay includes it. The library's default of 10 ms
 * causes most wake-ups of an idle process.
 */
const eventLoopSampleMs = 20;

/** The metrics of one process: its registry, and the instruments that every process has. */
export type Metrics = {
  readonly registry: Registry;
  /** Duration of each RPC served, by `rpc` and `code` ("ok" or an error code). */
  readonly grpcServerDuration: Histogram<"rpc" | "code">;
  /**
   * How long the oldest item of a job's last claim had been due, in seconds; 0 if it found none. The autoscaler sets
   * the number of workers by it.
   */
  readonly jobQueueAge: Gauge<"queue">;
};

/** Creates a registry with metrics of the process itself (CPU, memory, event-loop delay) and the RPC histogram. */
export function createMetrics(service: string, options: { processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  // The library accepts a histogram with exemplars only in a registry with the OpenMetrics format. Each scrape still
  // receives the format that it requests.
  if (isTracing()) (registry as Registry<RegistryContentType>).setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  registry.setDefaultLabels({ service });
  if (options.processMetrics !== false) {
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  }
  return {
    registry,
    grpcServerDuration: new Histogram({
      name: "platform_grpc_server_duration_seconds",
      help: "Duration of each RPC served.",
      labelNames: ["rpc", "code"],
      buckets: durationBucketsSeconds,
      enableExemplars: isTracing(),
      registers: [registry],
    }),
    jobQueueAge: new Gauge({
      name: "platform_job_queue_age_seconds",
      help: "How long the oldest item of a job's last claim had been due; 0 when nothing was.",
      labelNames: ["queue"],
      registers: [registry],
    }),
  };
}

/**
 * Observes a duration in seconds. While a trace is recorded, its id is the exemplar. The histogram needs
 * `enableExemplars: isTracing()`.
 */
export function observeSeconds<L extends string>(
  histogram: Pick<Histogram<L>, "observe">,
  labels: LabelValues<L>,
  seconds: number,
): void {
  if (!isTracing()) {
    histogram.observe(labels, seconds);
    return;
  }
  const traceId = activeTraceId();
  // The library's types expect the histogram's labels here, but an exemplar has different ones.
  const exemplar =
    traceId === undefined ? {} : { exemplarLabels: { trace_id: traceId } as LabelValues<string> as LabelValues<L> };
  histogram.observe({ labels, value: seconds, ...exemplar });
}
