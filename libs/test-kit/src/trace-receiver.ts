import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as it arrived. */
export type ReceivedSpan = {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** An OTLP/HTTP collector (JSON) of a test's own. */
export type TraceReceiver = {
  readonly url: string;
  spans(): readonly ReceivedSpan[];
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
type OtlpRequest = {
  resourceSpans: { resource: { attributes: OtlpAttribute[] }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

/** Starts a collector on a free port of 127.0.0.1. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const received: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push(...readSpans(JSON.parse(Buffer.concat(chunks).toString()) as OtlpRequest));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => received,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function readSpans({ resourceSpans }: OtlpRequest): ReceivedSpan[] {
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
