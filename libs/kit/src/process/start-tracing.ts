import { context, propagation } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { traceHttpCalls } from "./http-spans.ts";
import { setTracer } from "./spans.ts";

/** Settings for the export of traces. */
export type TracingOptions = {
  /** Base URL of an OTLP/HTTP collector: `http://collector:4318`. */
  readonly endpoint: string;
  /** `service.name` of every span, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES set another one. */
  readonly serviceName: string;
  /**
   * Share of the traces started here that is sampled, 0 to 1. A trace that was started elsewhere keeps its sampling
   * decision.
   */
  readonly sampleRatio: number;
  /** Longest time that a finished span waits to be sent, in milliseconds. */
  readonly exportDelayMs?: number;
};

/**
 * Starts tracing in this process. Spans are sent in batches over OTLP/HTTP and dropped if the collector is too slow.
 * Returns the function that sends the remaining spans and stops tracing.
 */
export function startTracing(options: TracingOptions): () => Promise<void> {
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": options.serviceName }).merge(detectResources({ detectors })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${options.endpoint}/v1/traces`, timeoutMillis: 5_000 }),
        scheduledDelayMillis: options.exportDelayMs ?? 2_000,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  setTracer(provider.getTracer("platform"));
  const stopHttpSpans = traceHttpCalls(provider, options.endpoint);
  return async () => {
    setTracer(null);
    stopHttpSpans();
    propagation.disable();
    context.disable();
    await provider.shutdown().catch(() => {});
  };
}
