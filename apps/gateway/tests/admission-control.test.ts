import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { json } from "node:stream/consumers";
import { connectRedis } from "@platform/quota/connect-redis";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { startLoneGateway } from "./lone-gateway.ts";

let redis: TestRedis;
let gateway: Gateway;
/** A replacement for files-svc, which responds when the test tells it to. */
let files: Server;
let held: ServerResponse[];
beforeAll(async () => {
  redis = await startTestRedis();
  held = [];
  files = createServer((request, response) => {
    request.resume();
    held.push(response);
  });
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
  gateway = await startLoneGateway(redis.url, {
    IN_FLIGHT_MAX: "4",
    STREAMS_MAX: "2",
    CONNECTIONS_MAX: "60",
    FILES_HTTP: `127.0.0.1:${(files.address() as AddressInfo).port}`,
  });
});
afterAll(async () => {
  await gateway.close();
  await redis.close();
  files.closeAllConnections();
  files.close();
});

type Reply = { status: number; headers: IncomingMessage["headers"]; json: { error: { code: string } } };

/** Sends requests from a different address than the flood, which comes from 127.0.0.1. */
async function ask(method: string, path: string, options: { from?: string; headers?: Record<string, string> } = {}) {
  const asked = httpRequest({
    method,
    path: `/api/v1${path}`,
    host: "127.0.0.1",
    port: gateway.port,
    localAddress: options.from ?? "127.0.0.1",
    headers: { connection: "close", ...options.headers },
  });
  asked.end();
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, json: await json(response) } as Reply;
}

const url = (path: string): string => `http://127.0.0.1:${gateway.port}/api/v1${path}`;

/** Opens a request whose body ends when the test tells it to, so that the request remains in flight. */
function openRequest() {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const body = new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new TextEncoder().encode('{"money":{"currency":"JPY","minor":1}'));
      await ended;
      controller.enqueue(new TextEncoder().encode("}"));
      controller.close();
    },
  });
  const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
  const reply = fetch(url("/noop"), { method: "POST", headers, body, duplex: "half" } as RequestInit);
  return { end, reply };
}

const inFlight = async (): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`)).text();
  return Number(/^platform_http_requests_in_flight\S* (\d+)/m.exec(text)?.[1]);
};

/** Runs `work` while one address has as many requests in flight as the process accepts. */
async function whileFull(work: () => Promise<void>): Promise<void> {
  const open = Array.from({ length: 4 }, openRequest);
  await expect.poll(inFlight, { timeout: 10_000 }).toBe(4);
  try {
    await work();
  } finally {
    for (const { end } of open) end();
  }
  for (const { reply } of open) expect((await reply).status).toBe(202);
  await expect.poll(inFlight, { timeout: 10_000 }).toBe(0);
}

test("returns 503 with Retry-After if the gateway is full, still serves health probes, and recovers", async () => {
  const nonsense = { headers: { authorization: "Bearer nonsense" } };
  await whileFull(async () => {
    const refused = await ask("GET", "/project-client", nonsense);
    expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
    expect(refused.json).toEqual({
      error: {
        code: "dependency_unavailable",
        message: expect.any(String),
        retryable: true,
        correlation_id: refused.headers["x-correlation-id"],
        details: {},
      },
    });
    const forBrowsers = await ask("POST", "/advertising/viewable-impressions");
    expect([forBrowsers.status, forBrowsers.headers["access-control-allow-origin"]]).toEqual([503, "*"]);
    expect((await ask("GET", "/health")).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${gateway.internalPort}/livez`)).status).toBe(200);
  });
  expect((await ask("GET", "/project-client", nonsense)).status).toBe(401);
});

test("serves another address immediately while a flood is rejected (CWE-400)", async () => {
  await whileFull(async () => {
    expect((await ask("GET", "/project-client")).status).toBe(503);
    expect((await ask("GET", "/project-client", { from: "127.0.0.2" })).status).toBe(401);
  });
});

test("rejects a request without reading its body or calling Redis", async () => {
  const observer = connectRedis(redis.url, () => {});
  await once(observer, "ready");
  await whileFull(async () => {
    await observer.config("RESETSTAT");
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write("POST /api/v1/noop HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: 900000\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /);
    socket.destroy();
    expect(await observer.info("commandstats")).not.toMatch(/cmdstat_(eval|evalsha|get|set|incr)/);
  });
  observer.disconnect();
});

test("limits uploads and downloads separately from calls", async () => {
  const path = `/file-downloads/${"0".repeat(64)}`;
  // Of four requests from one address, two are forwarded, and the other two wait for them.
  const downloads = Array.from({ length: 4 }, () => ask("GET", path));
  await expect.poll(() => held.length).toBe(2);
  await expect.poll(inFlight, { timeout: 10_000 }).toBe(4);
  expect((await ask("PUT", `/file-uploads/${"0".repeat(64)}`)).status).toBe(503);
  expect((await ask("GET", "/project-client")).status).toBe(401);
  const elsewhere = ask("GET", path, { from: "127.0.0.2" });
  await expect.poll(() => held.length).toBe(3);
  for (let answered = 0; answered < 5; answered += 1) {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()?.end("{}");
  }
  for (const { status } of await Promise.all([...downloads, elsewhere])) expect(status).toBe(200);
});

test("closes idle connections of one address near the maximum, so that another address is served (CWE-400)", async () => {
  const idle: Socket[] = [];
  for (let count = 0; count < 100; count += 1) {
    const socket = connect(gateway.port, "127.0.0.1").on("error", () => {});
    idle.push(socket);
    await once(socket, "connect");
  }
  expect((await ask("GET", "/project-client", { from: "127.0.0.2" })).status).toBe(401);
  expect((await ask("GET", "/project-client")).status).toBe(401);
  const closed = (): number => idle.filter((socket) => socket.closed).length;
  for (const socket of idle) socket.resume();
  await expect.poll(closed).toBeGreaterThanOrEqual(52);
  expect(idle.at(-1)?.closed).toBe(false);
  for (const socket of idle) socket.destroy();
});

test("closes a connection after its next response, even an error, once the process is stopping", async () => {
  await whileFull(async () => {
    gateway.stopServing();
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write("GET /api/v1/project-client HTTP/1.1\r\nHost: x\r\n\r\n");
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nconnection: close\r\n/i);
    await once(socket, "close");
  });
});
