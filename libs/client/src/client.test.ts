import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { type ClientOptions, createClient } from "./client.ts";
import { ConnectionError, PlatformError } from "./errors.ts";

type Seen = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
type Reply = (response: ServerResponse) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/**
 * A server that responds to each request with the next reply and repeats the last one, and a client of it that does not
 * wait between attempts.
 */
async function serve(...replies: Reply[]) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body: await text(request) });
    replies[Math.min(seen.length, replies.length) - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const waits: number[] = [];
  const retry: ClientOptions["retry"] = {
    wait: async (ms) => {
      waits.push(ms);
    },
  };
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { seen, waits, client: createClient({ baseUrl, credential: "pcred_test", retry }) };
}

const ok =
  (data: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify({ data }));

const fail =
  (status: number, code: string, retryable: boolean, headers: Record<string, string> = {}, details = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify({ error: { code, message: "told why", retryable, correlation_id: "c-1", details } }));

const hangUp: Reply = (response) => response.socket?.destroy();
const event = { type: "order.placed", schema_version: 1, data: { order: 1 } };

describe("a request", () => {
  test("sends a request to the operation's path with credential, JSON body and a new key", async () => {
    const { client, seen } = await serve(ok({ id: "e-1" }));
    const { data } = await client.call("events.publishDomainEvent", { body: event });
    expect(data.id).toBe("e-1");
    await client.call("events.publishDomainEvent", { body: event });
    expect(seen[0]).toMatchObject({ method: "POST", url: "/api/v1/domain-events", body: JSON.stringify(event) });
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer pcred_test", "content-type": "application/json" });
    expect(seen[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(seen[1]?.headers["idempotency-key"]).not.toBe(seen[0]?.headers["idempotency-key"]);
  });

  test("sends neither a key nor a body if the operation accepts none", async () => {
    const { client, seen } = await serve(ok({}));
    await client.call("identity.getProjectClient");
    expect(seen[0]?.headers["idempotency-key"]).toBeUndefined();
    expect(seen[0]?.headers["content-type"]).toBeUndefined();
  });

  test("encodes a path parameter so that it stays in its path segment", async () => {
    const { client, seen } = await serve(ok({}));
    await client.call("notify.getDeliveryEndpoint", { params: { endpointId: "../project-client?x=1" } });
    expect(seen[0]?.url).toBe("/api/v1/notification-endpoints/..%2Fproject-client%3Fx%3D1");
    await expect(client.call("notify.getDeliveryEndpoint", { params: { endpointId: "" } })).rejects.toThrow(TypeError);
  });

  test("sends the caller's Platform Session, key and correlation id as given", async () => {
    const { client, seen } = await serve(ok({}));
    const given = { credential: "psess_1", idempotencyKey: "k-1", correlationId: "c-9" };
    await client.call("events.publishDomainEvent", { body: event, ...given });
    const headers = { authorization: "Bearer psess_1", "idempotency-key": "k-1", "x-correlation-id": "c-9" };
    expect(seen[0]?.headers).toMatchObject(headers);
  });

  test("sends an upload as bytes under its own media type, and only once", async () => {
    const { client, seen } = await serve(fail(503, "dependency_unavailable", true, { "retry-after": "1" }));
    const upload = { params: { uploadToken: "t" }, body: Buffer.from("hello"), contentType: "text/plain" } as const;
    await expect(client.call("files.uploadFile", upload)).rejects.toMatchObject({ code: "dependency_unavailable" });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "PUT", body: "hello" });
    expect(seen[0]?.headers["content-type"]).toBe("text/plain");
  });

  test("marks a replayed outcome", async () => {
    const { client } = await serve(ok({}, { "idempotency-replayed": "true", "x-correlation-id": "c-2" }));
    const answer = await client.exchange("events.publishDomainEvent", { body: event });
    expect(answer).toMatchObject({ status: 200, isReplayed: true, correlationId: "c-2" });
  });
});

describe("a failure", () => {
  test("throws a PlatformError with every field of the envelope", async () => {
    const violations = [{ path: "/type", code: "required", message: "is required" }];
    const { client, seen } = await serve(fail(422, "contract_violation", false, {}, { violations }));
    const error = await client.call("events.publishDomainEvent", { body: event }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ code: "contract_violation", status: 422, retryable: false, correlationId: "c-1" });
    expect((error as PlatformError).violations).toEqual(violations);
    expect(seen).toHaveLength(1);
  });

  test("retries a retryable failure with the same key, after Retry-After if the response has it", async () => {
    const { client, seen, waits } = await serve(
      // This test comes first, because Deno's fetch repeats a request by itself when a kept-alive connection ends.
      hangUp,
      fail(429, "platform_quota_exceeded", true, { "retry-after": "7" }),
      fail(500, "internal_error", true),
      ok({ id: "e-1" }),
    );
    await client.call("events.publishDomainEvent", { body: event });
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(seen).toHaveLength(4);
    expect(waits[0]).toBeLessThanOrEqual(500);
    expect(waits[1]).toBe(7_000);
    expect(waits[2]).toBeGreaterThanOrEqual(500);
  });

  test("gives up a lasting failure after four tries", async () => {
    const { client, seen } = await serve(fail(503, "dependency_unavailable", true, { "retry-after": "1" }));
    await expect(client.call("identity.getProjectClient")).rejects.toMatchObject({ retryAfterSeconds: 1, status: 503 });
    expect(seen).toHaveLength(4);
  });

  test("returns a failure immediately if Retry-After exceeds the caller's limit", async () => {
    const { client, waits } = await serve(fail(429, "platform_quota_exceeded", true, { "retry-after": "3600" }));
    const call = client.call("identity.getProjectClient");
    await expect(call).rejects.toMatchObject({ code: "platform_quota_exceeded", retryAfterSeconds: 3600 });
    expect(waits).toEqual([]);
  });

  test("retries an operation that is not safe to repeat only after a refused quota", async () => {
    const body = { token: "0".repeat(64) };
    const request = { params: { endpointId: "e" }, body };
    const broken = await serve(hangUp);
    await expect(broken.client.call("notify.verifyDeliveryEndpoint", request)).rejects.toThrow(ConnectionError);
    expect(broken.seen).toHaveLength(1);
    const refused = await serve(fail(429, "platform_quota_exceeded", true, { "retry-after": "1" }), ok({ id: "e" }));
    await refused.client.call("notify.verifyDeliveryEndpoint", request);
    expect(refused.seen).toHaveLength(2);
  });

  test("reports a response without the envelope as foreign", async () => {
    const { client, seen } = await serve((response) => response.writeHead(502).end("<html>Bad Gateway</html>"));
    await expect(client.call("edge.getHealth")).rejects.toMatchObject({ code: "unexpected_answer", status: 502 });
    expect(seen).toHaveLength(4);
  });

  test("stops retrying when the caller aborts", async () => {
    const { client, seen } = await serve(hangUp);
    const abort = new AbortController();
    abort.abort(new Error("enough"));
    await expect(client.call("edge.getHealth", { signal: abort.signal })).rejects.toThrow("enough");
    expect(seen.length).toBeLessThanOrEqual(1);
  });
});

describe("an upload over a slow line", () => {
  const upload = { params: { uploadToken: "t" }, contentType: "text/plain" } as const;

  /** A server that does not read the body, so that the connection is full once the system's buffers are. */
  async function serveNothing() {
    const server = createServer((request) => void request.pause());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return createClient({ baseUrl, credential: null, timeoutMs: 50 });
  }

  test("aborts an upload without progress, and names this client as the cause", async () => {
    const client = await serveNothing();
    const call = client.call("files.uploadFile", { ...upload, body: new Uint8Array(64 * 1024 * 1024) });
    await expect(call).rejects.toMatchObject({ name: "ConnectionError", gaveUp: "client" });
  });

  test("gives up an upload even if the file delivers all of its bytes as one part", async () => {
    const bytes = new Uint8Array(64 * 1024 * 1024);
    const whole = () => new ReadableStream({ start: (controller) => [controller.enqueue(bytes), controller.close()] });
    const client = await serveNothing();
    const call = client.call("files.uploadFile", {
      ...upload,
      body: Object.assign(new Blob([bytes]), { stream: whole }),
    });
    await expect(call).rejects.toMatchObject({ name: "ConnectionError", gaveUp: "client" });
  });

  test("reports a broken connection", async () => {
    const { client } = await serve(hangUp);
    const call = client.call("files.uploadFile", { ...upload, body: new Uint8Array(5) });
    await expect(call).rejects.toMatchObject({ name: "ConnectionError", gaveUp: "connection" });
  });

  test("sends the length of the file with its bytes", async () => {
    const { client, seen } = await serve(ok({}));
    await client.call("files.uploadFile", { ...upload, body: new Blob(["hello"]) });
    // Deno sends every stream in chunks, even if the caller declares its length.
    const framing = "Deno" in globalThis ? { "transfer-encoding": "chunked" } : { "content-length": "5" };
    expect(seen[0]).toMatchObject({ body: "hello", headers: framing });
  });
});
