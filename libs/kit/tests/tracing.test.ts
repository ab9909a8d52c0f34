import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { QuotaLevelService } from "@platform/proto/events/v1/events_service";
import { eventually } from "@platform/test-kit/eventually";
import { type ReceivedSpan, startTraceReceiver } from "@platform/test-kit/trace-receiver";
import { request } from "undici";
import { afterEach, expect, test, vi } from "vitest";
import { startJobLoop } from "../src/jobs/job-loop.ts";
import { silentLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import { activeTraceparent, inSpan } from "../src/process/spans.ts";
import { startTracing } from "../src/process/start-tracing.ts";
import { connectGrpc } from "../src/rpc/connect.ts";
import { serveGrpc } from "../src/rpc/serve.ts";
import { implement } from "../src/rpc/served-service.ts";
import { serveHttp } from "../src/web/serve-http.ts";
import { traceServed } from "../src/web/served-spans.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const context = { correlationId: "c", operation: "test", projectClient: null, idempotency: null };

/** Starts a provider that records the headers of its calls. */
async function startProvider() {
  const traceparents: (string | undefined)[] = [];
  const server = createServer((incoming, answer) => {
    traceparents.push(incoming.headers.traceparent as string | undefined);
    answer.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/send?token=secret`, traceparents };
}

/** Starts a service that stores a work item, and its worker, which calls the provider. */
async function startService(providerUrl: string) {
  const items: { traceparent: string | undefined }[] = [];
  const metrics = createMetrics("test-svc", { processMetrics: false });
  const server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    services: [
      implement(QuotaLevelService, {
        getQuotaLevel: async (_request, call) => {
          items.push({ traceparent: call.traceparent });
          return { used: 1n };
        },
      }),
    ],
    logger: silentLogger(),
    metrics,
  });
  closing.push(() => server.close());
  const loop = startJobLoop({
    name: "deliver",
    logger: silentLogger(),
    concurrency: 1,
    pollMs: 5,
    claim: async (limit) => items.splice(0, limit),
    traceparentOf: (item) => item.traceparent,
    work: async () => {
      await (await request(providerUrl)).body.dump();
    },
  });
  closing.push(() => loop.stop());
  const connection = connectGrpc({ address: `127.0.0.1:${server.port}`, tls: null });
  closing.push(() => connection.close());
  const call = () => connection.service(QuotaLevelService).getQuotaLevel({ resource: "r" }, { context });
  return { call, metrics };
}

test("records caller, gRPC call, work item and provider call in one trace", async () => {
  const receiver = await startTraceReceiver();
  closing.push(() => receiver.close());
  const stop = startTracing({ endpoint: receiver.url, serviceName: "test-svc", sampleRatio: 1, exportDelayMs: 10 });
  closing.push(stop);
  const provider = await startProvider();
  const service = await startService(provider.url);

  await inSpan("operation", { kind: "server" }, () => service.call());
  const spans = await eventually(() => {
    const found = receiver.spans();
    return found.some((span) => span.name === "GET") && found.some(({ name }) => name === "operation") && found;
  });

  const rpc = "projectintegration.events.v1.QuotaLevelService/GetQuotaLevel";
  expect(pathOf(spans, "GET")).toEqual(["operation", rpc, rpc, "job deliver", "GET"]);
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  expect(provider.traceparents[0]).toContain(spans[0]?.traceId);
  const attributesOf = (name: string) => spans.filter((span) => span.name === name).map(({ attributes }) => attributes);
  const { hostname, port } = new URL(provider.url);
  expect(attributesOf("GET")[0]).toMatchObject({
    "http.request.method": "GET",
    "http.response.status_code": 200,
    "server.address": hostname,
    "server.port": Number(port),
    "url.full": new URL(provider.url).origin,
  });
  for (const attributes of attributesOf(rpc))
    expect(attributes).toMatchObject({ "rpc.system.name": "grpc", "rpc.method": rpc });
  expect(attributesOf(rpc).some((attributes) => String(attributes["server.address"]).startsWith("127.0.0.1"))).toBe(
    true,
  );
  expect(JSON.stringify(spans)).not.toContain("secret");
  const metrics = await service.metrics.registry.metrics();
  expect(metrics).toContain(`trace_id="${spans[0]?.traceId}"`);
});

test("records an HTTP request in the trace that its header names, until its response was sent", async () => {
  const receiver = await startTraceReceiver();
  closing.push(() => receiver.close());
  closing.push(startTracing({ endpoint: receiver.url, serviceName: "t", sampleRatio: 1, exportDelayMs: 10 }));
  const listener = traceServed((incoming, answer) => {
    if (incoming.method === "DELETE") {
      answer.destroy();
      return;
    }
    void inSpan("within", { kind: "internal" }, async () => answer.writeHead(201).end("ok"));
  });
  const served = await serveHttp(listener, { host: "127.0.0.1", port: 0 });
  closing.push(() => served.close());
  const url = `http://127.0.0.1:${served.port}/file-uploads/secret`;
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  await (await request(url, { method: "PUT", headers: { traceparent } })).body.dump();
  await expect(request(url, { method: "DELETE", headers: { traceparent } })).rejects.toThrow();
  await (await request(url, { method: "GET" })).body.dump();
  const spans = await eventually(() => {
    const found = receiver.spans();
    return ["PUT", "DELETE", "within"].every((name) => found.some((span) => span.name === name)) && found;
  });
  const put = spans.find(({ name }) => name === "PUT");
  expect(put).toMatchObject({ traceId: traceparent.slice(3, 35), parentSpanId: "00f067aa0ba902b7" });
  expect(put?.attributes).toMatchObject({ "http.request.method": "PUT", "http.response.status_code": 201 });
  expect(spans.find(({ name }) => name === "within")?.parentSpanId).toBe(put?.spanId);
  expect(spans.find(({ name }) => name === "DELETE")?.attributes["error.type"]).toBe("aborted");
  expect(spans.some(({ name }) => name === "GET")).toBe(false);
  expect(JSON.stringify(spans)).not.toContain("secret");
});

test("marks the spans of a failed call with the code of the error, not its message", async () => {
  const receiver = await startTraceReceiver();
  closing.push(() => receiver.close());
  closing.push(startTracing({ endpoint: receiver.url, serviceName: "t", sampleRatio: 1, exportDelayMs: 10 }));
  const failing = inSpan("failing", { kind: "internal" }, async () => {
    throw Object.assign(new Error("the password is 1234"), { code: "contract_violation" });
  });
  await expect(failing).rejects.toThrow("1234");
  const [span] = await eventually(() => receiver.spans().length > 0 && receiver.spans());
  expect(span?.attributes["error.type"]).toBe("contract_violation");
  expect(JSON.stringify(span)).not.toContain("1234");
});

test("reads the traced service's name and attributes from the environment", async () => {
  const receiver = await startTraceReceiver();
  closing.push(() => receiver.close());
  vi.stubEnv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging");
  vi.stubEnv("OTEL_SERVICE_NAME", "orders-svc");
  closing.push(() => vi.unstubAllEnvs());
  closing.push(startTracing({ endpoint: receiver.url, serviceName: "t", sampleRatio: 1, exportDelayMs: 10 }));
  await inSpan("operation", { kind: "server" }, async () => {});
  await eventually(() => receiver.spans().length > 0);
  const attributes = receiver.exports()[0]?.resourceSpans[0]?.resource.attributes ?? [];
  const of = (name: string) => attributes.find(({ key }) => key === name)?.value.stringValue;
  expect(of("service.name")).toBe("orders-svc");
  expect(of("deployment.environment.name")).toBe("staging");
});

test("propagates an unsampled trace without recording it", async () => {
  const receiver = await startTraceReceiver();
  closing.push(() => receiver.close());
  closing.push(startTracing({ endpoint: receiver.url, serviceName: "t", sampleRatio: 1, exportDelayMs: 10 }));
  const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  const propagated = await inSpan("unrecorded", { kind: "server", parent }, async () => activeTraceparent());
  await inSpan("recorded", { kind: "server" }, async () => {});
  await eventually(() => receiver.spans().some((span) => span.name === "recorded"));
  expect(propagated).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/);
  expect(receiver.spans().map((span) => span.name)).toEqual(["recorded"]);
});

test("sends no trace headers to providers if tracing is off", async () => {
  const provider = await startProvider();
  const service = await startService(provider.url);
  expect(activeTraceparent()).toBeUndefined();
  await service.call();
  await eventually(() => provider.traceparents.length === 1);
  expect(provider.traceparents).toEqual([undefined]);
});

/** Returns the names of the spans from the root to the named span. */
function pathOf(spans: readonly ReceivedSpan[], name: string): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path: string[] = [];
  for (let at = spans.find((span) => span.name === name); at !== undefined; at = byId.get(at.parentSpanId)) {
    path.unshift(at.name);
  }
  return path;
}
