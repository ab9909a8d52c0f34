import { eventually } from "@platform/test-kit/eventually";
import { type OtlpRequest, type ReceivedSpan, readSpans } from "@platform/test-kit/trace-receiver";

/**
 * A request that went through the traced gateway and the service that handled it; null if the gateway responded by
 * itself.
 */
export type TracedRequest = { readonly correlationId: string; readonly service: string | null };

/**
 * Waits for all spans of each request. A service exports spans in the order in which they end, so once the span of the
 * call has arrived, the spans within it have arrived too.
 */
export function tracesOf(tracesUrl: string, requests: readonly TracedRequest[]): Promise<ReceivedSpan[][]> {
  const complete = async (): Promise<ReceivedSpan[][] | null> => {
    const exported = (await (await fetch(tracesUrl)).json()) as OtlpRequest[];
    const byTrace = Map.groupBy(exported.flatMap(readSpans), ({ traceId }) => traceId);
    const roots = new Map(
      [...byTrace.values()].flatMap((spans) =>
        spans
          .filter(({ parentSpanId }) => parentSpanId === "")
          .map(({ attributes, traceId }): [unknown, string] => [attributes["platform.correlation_id"], traceId]),
      ),
    );
    const found = requests.map(({ correlationId, service }) => {
      const spans = byTrace.get(roots.get(correlationId) ?? "") ?? [];
      const gateways = new Set(spans.filter((span) => span.service.startsWith("gateway")).map(({ spanId }) => spanId));
      const isComplete = spans.some((span) => span.service === service && gateways.has(span.parentSpanId));
      return service === null || isComplete ? spans : [];
    });
    return found.every((spans) => spans.length > 0) ? found : null;
  };
  return eventually(complete, { everyMs: 200, what: "the traces of all requests" });
}
