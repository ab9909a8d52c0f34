import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Post, PostTimedOut, postOnce } from "./post-once.ts";

type Received = { headers: Record<string, unknown>; body: string; connection: number | undefined };

const received: Received[] = [];
let answer: (response: ServerResponse) => void = () => {};
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => {
    received.push({ headers: request.headers, body, connection: request.socket.remotePort });
    answer(response);
  });
});
const agent = new Agent({ connections: 1, pipelining: 1 });
const cancels = new Set<(reason: Error) => void>();

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterEach(() => {
  received.length = 0;
});
afterAll(async () => {
  await agent.destroy();
  server.closeAllConnections();
  server.close();
});

const post = (fields: Partial<Pick<Post, "timeoutMs" | "path" | "body" | "onBodySent">> = {}) =>
  postOnce(
    agent,
    {
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      path: "/hook?a=1",
      headers: ["x-one", "1"],
      body: { text: "{}" },
      timeoutMs: 30_000,
      bytesMax: 1_000,
      ...fields,
    },
    cancels,
  );

test("sends the request, returns status, headers and body, and reuses the connection", async () => {
  answer = (response) => response.writeHead(429, { "retry-after": "7" }).end("busy");
  const first = await post();
  await post();
  expect({ ...first, body: first.body.toString() }).toMatchObject({
    statusCode: 429,
    headers: { "retry-after": "7" },
    body: "busy",
  });
  expect(received[0]).toMatchObject({ headers: { "x-one": "1", "content-length": "2" }, body: "{}" });
  expect(received[1]?.connection).toBe(received[0]?.connection);
  expect(cancels.size).toBe(0);
});

test("times out if no status arrives in time, and never sends a request that still waits for a connection", async () => {
  answer = () => {};
  const both = [post({ timeoutMs: 100 }), post({ timeoutMs: 50 })];
  const results = await Promise.allSettled(both);
  expect(results.map((result) => result.status === "rejected" && result.reason)).toEqual([
    expect.any(PostTimedOut),
    expect.any(PostTimedOut),
  ]);
  answer = (response) => response.writeHead(204).end();
  expect((await post()).statusCode).toBe(204);
  expect(received).toHaveLength(2);
});

test("returns the status when the body is late, interrupted or too long", async () => {
  answer = (response) => response.writeHead(200).write("so far");
  const unended = await post({ timeoutMs: 100 });
  answer = (response) => void response.writeHead(201).write("so far", () => response.destroy());
  const broken = await post();
  answer = (response) => response.writeHead(500).end("x".repeat(5_000));
  const long = await post();
  expect([unended, broken, long].map(({ statusCode, body }) => [statusCode, body.byteLength])).toEqual([
    [200, 6],
    [201, 6],
    [500, 1_000],
  ]);
});

test("rejects an aborted call with the given reason", async () => {
  answer = () => {};
  const cut = post();
  for (const cutOff of cancels) cutOff(new Error("the worker stops"));
  await expect(cut).rejects.toThrow("the worker stops");
  expect(cancels.size).toBe(0);
});

test("rejects if the target is invalid", async () => {
  await expect(post({ path: "no path" })).rejects.toThrow("path");
});

test("releases a large body before the response arrives, and sends all of it", async () => {
  const arrived = Promise.withResolvers<ServerResponse>();
  answer = arrived.resolve;
  const sent = Promise.withResolvers<void>();
  const text = JSON.stringify({ data: "é".repeat(600_000) });
  const body = { text };
  const posting = post({ body, onBodySent: sent.resolve });
  await sent.promise;
  expect(body.text).toBe("");
  (await arrived.promise).end("ok");
  expect((await posting).statusCode).toBe(200);
  expect(received[0]?.body).toBe(text);
  expect(received[0]?.headers).toMatchObject({ "content-length": `${Buffer.byteLength(text)}` });
  expect(received[0]?.headers).not.toHaveProperty("transfer-encoding");
});
