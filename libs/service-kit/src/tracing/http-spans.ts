import diagnostics from "node:diagnostics_channel";
import type { Span } from "@opentelemetry/api";
import { beginChild, endChild } from "./spans.ts";
import { formatTraceparent } from "./traceparent.ts";

/** What undici publishes of a request (https://github.com/nodejs/undici/blob/main/docs/docs/api/DiagnosticsChannel.md). */
type UndiciRequest = {
  readonly origin?: string | URL;
  readonly method?: string;
  addHeader(name: string, value: string): void;
};

/**
 * Gives every HTTP call of undici or fetch within a span its own span and the header `traceparent`. Only the origin is recorded, because paths
 * and queries of providers contain tokens.
 * @param except origin of the collector, whose calls are not traced
 * @returns a function that stops it
 */
export function traceHttpCalls(except: string): () => void {
  const exceptOrigin = new URL(except).origin;
  const spans = new WeakMap<object, Span>();
  const onCreate = (message: unknown): void => {
    const { request } = message as { request: UndiciRequest };
    const origin = String(request.origin ?? "");
    if (origin === exceptOrigin) return;
    const span = beginChild(`HTTP ${request.method ?? "GET"}`, {
      "http.request.method": request.method ?? "GET",
      "server.address": origin,
    });
    if (span === null) return;
    spans.set(request, span);
    request.addHeader("traceparent", formatTraceparent(span.spanContext()));
  };
  const onHeaders = (message: unknown): void => {
    const { request, response } = message as { request: object; response: { statusCode: number } };
    spans.get(request)?.setAttributes({ "http.response.status_code": response.statusCode });
  };
  const end = (request: object, error?: unknown): void => {
    const span = spans.get(request);
    if (span === undefined) return;
    spans.delete(request);
    endChild(span, error);
  };
  const onEnd = (message: unknown): void => end((message as { request: object }).request);
  const onError = (message: unknown): void => {
    const { request, error } = message as { request: object; error: unknown };
    end(request, error);
  };
  const subscriptions = [
    ["undici:request:create", onCreate],
    ["undici:request:headers", onHeaders],
    ["undici:request:trailers", onEnd],
    ["undici:request:error", onError],
  ] as const;
  for (const [name, listener] of subscriptions) diagnostics.subscribe(name, listener);
  return () => {
    for (const [name, listener] of subscriptions) diagnostics.unsubscribe(name, listener);
  };
}
