import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { startLoneGateway } from "./lone-gateway.ts";

type Seen = {
  readonly method: string;
  readonly url: string;
  readonly uploadId: string;
  bytes: number;
  isBroken: boolean;
};

let redis: TestRedis;
/** A replacement for files-svc, which reads uploads and records requests. */
let files: Server;
let seen: Seen[];
let gateway: Gateway;
beforeAll(async () => {
  redis = await startTestRedis();
  files = createServer((request: IncomingMessage, response) => {
    const one: Seen = {
      method: request.method ?? "",
      url: request.url ?? "",
      uploadId: String(request.headers["x-platform-upload-id"]),
      bytes: 0,
      isBroken: false,
    };
    seen.push(one);
    request.on("data", (chunk: Buffer) => {
      one.bytes += chunk.byteLength;
    });
    request.on("error", () => {});
    request.on("close", () => {
      one.isBroken = !request.complete;
    });
    request.on("end", () => response.end("{}"));
  });
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
});
beforeEach(async () => {
  seen = [];
  gateway = await startLoneGateway(redis.url, {
    FILES_HTTP: `127.0.0.1:${(files.address() as AddressInfo).port}`,
    TRANSFER_DRAIN_SECONDS: "1",
  });
});
afterEach(() => gateway.close());
afterAll(async () => {
  await redis.close();
  files.closeAllConnections();
  files.close();
});

const token = "a".repeat(64);

/** Sends the head and half of a body of 2,000 bytes. */
async function beginHalf(): Promise<Socket> {
  const socket = connect(gateway.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  const head = ["host: gateway", "content-type: text/plain", "content-length: 2000", "x-platform-upload-id: forged"];
  socket.write(`PUT /api/v1/file-uploads/${token} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${"x".repeat(1_000)}`);
  await eventually(() => seen[0]?.bytes === 1_000, { what: "the first half has arrived" });
  return socket;
}

test("reports an upload whose sender has disconnected, with a different id for each attempt", async () => {
  const socket = await beginHalf();
  socket.destroy();
  const report = await eventually(() => seen.find(({ method }) => method === "DELETE"), { what: "a report" });
  expect(report.url).toBe(`/api/v1/file-uploads/${token}`);
  expect(report.uploadId).toMatch(/^[0-9a-f-]{36}$/);
  expect(report.uploadId).toBe(seen[0]?.uploadId);
});

test("finishes an upload while the gateway drains", async () => {
  const socket = await beginHalf();
  gateway.stopServing();
  socket.write("x".repeat(1_000));
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK/);
  socket.destroy();
});

test("interrupts an upload after TRANSFER_DRAIN_SECONDS, and does not report that the sender disconnected", async () => {
  const socket = await beginHalf();
  const cut = once(socket, "close");
  gateway.stopServing();
  await gateway.close();
  await cut;
  await eventually(() => seen[0]?.isBroken, { what: "the service sees the break" });
  expect(seen.map(({ method }) => method)).toEqual(["PUT"]);
});
