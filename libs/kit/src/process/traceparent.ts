import type { SpanContext } from "@opentelemetry/api";

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a W3C traceparent (https://www.w3.org/TR/trace-context/, version 00); null if the text is not valid. */
export function parseTraceparent(text: string | undefined): SpanContext | null {
  const match = text === undefined ? null : pattern.exec(text);
  const [, traceId = "", spanId = "", flags = ""] = match ?? [];
  if (match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Writes a W3C traceparent. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}
