import {
  type Attributes,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { formatTraceparent, parseTraceparent } from "./traceparent.ts";

/**
 * The tracer of the process. It is null until tracing is started. While it is null, the functions of this module run
 * their work without a span.
 */
let tracer: Tracer | null = null;

const activeSpan = (): Span | undefined => trace.getSpan(context.active());

/** Sets the tracer, which turns tracing on, or null, which turns it off. */
export function setTracer(given: Tracer | null): void {
  tracer = given;
}

export function isTracing(): boolean {
  return tracer !== null;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/** Options of a span. */
export type SpanOptions = {
  readonly kind: keyof typeof kinds;
  /** The W3C traceparent of the span's cause. Without it, the span is a child of the active span, or starts a trace. */
  readonly parent?: string | undefined;
  /** The traceparent of another trace to link to. */
  readonly link?: string | undefined;
  readonly attributes?: Attributes;
};

/** A span in progress. Its methods do nothing if tracing is off. */
export type ActiveSpan = {
  setAttributes(attributes: Attributes): void;
};

const noSpan: ActiveSpan = { setAttributes: () => {} };

/**
 * Runs `work` within a span. Calls that `work` makes become children of the span, and an error marks the span as
 * failed. If tracing is off, only `work` runs.
 */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: ActiveSpan) => Promise<T>): Promise<T> {
  if (tracer === null) return work(noSpan);
  const span = begin(tracer, name, options);
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      return await work(span as ActiveSpan);
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/**
 * Starts a span that the caller must end, for work whose result arrives by events. Returns null if tracing is off or no
 * span is active.
 */
export function beginChild(name: string, attributes: Attributes): Span | null {
  if (tracer === null || activeSpan() === undefined) return null;
  return begin(tracer, name, { kind: "client", attributes });
}

/** Ends a span that `beginChild` has started. */
export function endChild(span: Span, error?: unknown): void {
  if (error !== undefined) markFailed(span, error);
  span.end();
}

/** Returns the traceparent for the next hop or for a work item; undefined outside of any span. */
export function activeTraceparent(): string | undefined {
  const span = tracer === null ? undefined : activeSpan();
  return span === undefined ? undefined : formatTraceparent(span.spanContext());
}

/** Returns the id of the active trace for logs and exemplars; undefined if the trace is not sampled. */
export function activeTraceId(): string | undefined {
  const spanContext = tracer === null ? undefined : activeSpan()?.spanContext();
  return spanContext !== undefined && (spanContext.traceFlags & 1) === 1 ? spanContext.traceId : undefined;
}

function begin(by: Tracer, name: string, options: SpanOptions): Span {
  const parent = parseTraceparent(options.parent) ?? activeSpan()?.spanContext() ?? null;
  const cause = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  const linked = parseTraceparent(options.link);
  const links: Link[] = linked === null ? [] : [{ context: linked }];
  return by.startSpan(name, { kind: kinds[options.kind], attributes: options.attributes ?? {}, links }, cause);
}

function markFailed(span: Span, error: unknown): void {
  // Only the code and the type of the error are recorded, because a message may contain data that must not appear in a
  // trace.
  const { code, name } = error as { code?: unknown; name?: unknown };
  span.setAttributes({ "error.type": String(code ?? name ?? "error") });
  span.setStatus({ code: SpanStatusCode.ERROR });
}
