import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A received span. */
export type ReceivedSpan = {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the parent span; empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** An OTLP/HTTP collector (JSON) for one test. */
export type TraceReceiver = {
  readonly url: string;
  spans(): readonly ReceivedSpan[];
  /** Returns the export requests in the order in which they arrived. `GET url` returns them as one JSON list for other processes. */
  exports(): readonly OtlpRequest[];
  close(): void;
};

type OtlpValue = { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
type OtlpAttribute = { key: string; value: OtlpValue };
type OtlpSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes?: OtlpAttribute[];
};
/** The body of one export request. */
export type OtlpRequest = {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

/** Starts a collector on a free port of 127.0.0.1. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const received: OtlpRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.method === "POST") received.push(JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest);
      const answer = request.method === "POST" ? {} : received;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => received.flatMap(readSpans),
    exports: () => received,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns the spans of one export request. */
export function readSpans({ resourceSpans }: OtlpRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributesOf(resource.attributes)["service.name"] ?? "");
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ name, traceId, spanId, parentSpanId = "", attributes = [] }) => {
        return { service, name, traceId, spanId, parentSpanId, attributes: attributesOf(attributes) };
      });
  });
}

function attributesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
