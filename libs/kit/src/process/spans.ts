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

/** The tracer of the process. It is null until tracing is started, and every function here then only runs the work. */
let tracer: Tracer | null = null;

const activeSpan = (): Span | undefined => trace.getSpan(context.active());

/** Turns tracing on with a tracer, or off with null. */
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
  /** The W3C traceparent of its cause. Without one the span belongs to the active span, or starts a trace. */
  readonly parent?: string | undefined;
  /** The traceparent of a linked trace. */
  readonly link?: string | undefined;
  readonly attributes?: Attributes;
};

/** A span in progress; does nothing if tracing is off. */
export type ActiveSpan = {
  setAttributes(attributes: Attributes): void;
};

const noSpan: ActiveSpan = { setAttributes: () => {} };

/** Runs `work` within a span. Its calls belong to the span; an error marks the span as failed. With tracing off it only runs `work`. */
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

/** Starts a span that the caller ends; null when tracing is off or no span is active. For work that reports by events. */
export function beginChild(name: string, attributes: Attributes): Span | null {
  if (tracer === null || activeSpan() === undefined) return null;
  return begin(tracer, name, { kind: "client", attributes });
}

/** Ends a span of `beginChild`. */
export function endChild(span: Span, error?: unknown): void {
  if (error !== undefined) markFailed(span, error);
  span.end();
}

/** The traceparent for the next hop or a work item. Undefined outside of any span. */
export function activeTraceparent(): string | undefined {
  const span = tracer === null ? undefined : activeSpan();
  return span === undefined ? undefined : formatTraceparent(span.spanContext());
}

/** Id of the active trace, for logs and exemplars. Undefined when it is not sampled. */
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
  // Only code and kind of the error are recorded, because a message may contain data that a trace must not contain.
  const { code, name } = error as { code?: unknown; name?: unknown };
  span.setAttributes({ "error.type": String(code ?? name ?? "error") });
  span.setStatus({ code: SpanStatusCode.ERROR });
}
