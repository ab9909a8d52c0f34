/** Log, metrics, health and spans of a process. */
export { type CheckResult, createHealth, type Health, serveProbes } from "../../process/health.ts";
export { createLogger, type Logger, silentLogger } from "../../process/logger.ts";
export { createMetrics, durationBucketsSeconds, type Metrics, observeSeconds } from "../../process/metrics.ts";
export { shareProbe } from "../../process/share-probe.ts";
export { activeTraceId, activeTraceparent, inSpan, isTracing } from "../../process/spans.ts";
