import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The metrics of one process: its registry, and the instruments every process has. */
export type Metrics = {
  readonly registry: Registry;
  /** Duration of each RPC served, by `rpc` and `code` ("ok" or an error code). */
  readonly grpcServerDuration: Histogram<"rpc" | "code">;
};

/** A new registry with the process's own figures (CPU, memory, event-loop delay) and the RPC histogram. */
export function createMetrics(service: string, options: { processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (options.processMetrics !== false) collectDefaultMetrics({ register: registry });
  return {
    registry,
    grpcServerDuration: new Histogram({
      name: "platform_grpc_server_duration_seconds",
      help: "Duration of each RPC served.",
      labelNames: ["rpc", "code"],
      buckets: durationBucketsSeconds,
      registers: [registry],
    }),
  };
}
