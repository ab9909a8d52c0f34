import type { TracerProvider } from "@opentelemetry/api";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";

/**
 * Creates a span for every HTTP call of undici or fetch that is made within a span, and sends the header `traceparent`.
 * Only the origin of the URL is recorded, because paths and queries of providers contain tokens.
 * @param except origin of the trace collector, to which calls are not traced
 * @returns a function that stops the tracing
 */
export function traceHttpCalls(provider: TracerProvider, except: string): () => void {
  const exceptOrigin = new URL(except).origin;
  const instrumentation = new UndiciInstrumentation({
    requireParentforSpans: true,
    ignoreRequestHook: ({ origin }) => String(origin) === exceptOrigin,
    startSpanHook: ({ origin }) => ({ "url.full": String(origin), "url.path": undefined, "url.query": undefined }),
  });
  instrumentation.setTracerProvider(provider);
  return () => instrumentation.disable();
}
