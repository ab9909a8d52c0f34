import type { TracerProvider } from "@opentelemetry/api";
import { UndiciInstrumentation } from "@opentelemetry/instrumentation-undici";

/**
 * Gives every HTTP call of undici or fetch within a span its own span and the header `traceparent`. Only the origin of
 * the URL is recorded, because paths and queries of providers contain tokens.
 * @param except origin of the collector, whose calls are not traced
 * @returns a function that stops it
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
