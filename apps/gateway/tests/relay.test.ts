import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { startLoneGateway } from "./lone-gateway.ts";

const mebibyte = 1024 * 1024;
const token = "a".repeat(64);
const uploadPath = `/api/v1/file-uploads/${token}`;
const downloadPath = `/api/v1/file-downloads/${token}`;
const kept = randomBytes(4 * mebibyte);
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const waitMs = 20_000;

let redis: TestRedis;
let files: Server;
let gateway: Gateway;
/** Requests files-svc got; its stand-in answers an upload with the hash of what came, a download with `kept`. */
const asked: IncomingMessage[] = [];
beforeAll(async () => {
  redis = await startTestRedis();
  files = createServer((request, response) => {
    asked.push(request);
    if (request.method !== "PUT") {
      response.writeHead(200, { "content-length": kept.byteLength });
      response.end(request.method === "HEAD" ? undefined : kept);
      return;
    }
    const hash = createHash("sha256");
    request.on("error", () => {}).on("data", (chunk: Buffer) => hash.update(chunk));
    request.once("end", () => response.writeHead(200).end(hash.digest("hex")));
  });
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
  gateway = await startLoneGateway(redis.url, {
    ...process.env,
    FILES_HTTP: `127.0.0.1:${(files.address() as AddressInfo).port}`,
    LOG_LEVEL: "silent",
  });
  await eventually(isHandingOver);
});
// The last test closes the gateway.
afterAll(async () => {
  files.closeAllConnections();
  files.close();
  await redis.close();
});

function send(method: string, path: string, body: Buffer | null, options: object = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = body === null ? {} : { "content-type": "text/plain", "content-length": body.byteLength };
    const sending = httpRequest({ host: "127.0.0.1", port: gateway.port, method, path, headers, ...options });
    sending.once("response", resolve).once("error", reject);
    sending.end(body ?? undefined);
  });
}
async function read(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Is a relay process there? What went through it ends its connection. */
async function isHandingOver(): Promise<boolean> {
  const response = await send("PUT", uploadPath, Buffer.alloc(2 * mebibyte));
  response.resume();
  return response.headers.connection === "close";
}

/** Process ids of the relay processes this process has. */
function relayPids(): number[] {
  const tasks = readdirSync(`/proc/${process.pid}/task`);
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${process.pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
  return children.map(Number).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("start-relay.ts"));
}

/** Writes bytes to a connection as they are; what comes back, until it is closed. */
async function exchange(...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(gateway.port, "127.0.0.1");
  const received: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => received.push(chunk)).on("error", () => {});
  for (const part of parts) socket.write(part);
  await once(socket, "close");
  return Buffer.concat(received).toString("latin1");
}

const putHead = (length: number, more = ""): string =>
  `PUT ${uploadPath} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n${more}\r\n`;
const getHead = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
const countOf = (text: string, part: string): number => text.split(part).length - 1;

test("uploads arrive byte for byte, many at once and of every size, the large ones through a relay process", async () => {
  for (let round = 0; round < 6; round += 1) {
    const sizes = [0, 1, 70_000, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte, 9_999_999];
    await Promise.all(
      sizes.map(async (size) => {
        const body = randomBytes(size);
        const response = await send("PUT", uploadPath, body, { agent: new Agent({ keepAlive: true }) });
        const isRelayed = response.headers.connection === "close";
        expect([size, isRelayed, (await read(response)).toString()]).toEqual([size, size >= mebibyte, sha256(body)]);
      }),
    );
  }
});

test("large downloads arrive byte for byte through a relay process; HEAD stays with the gateway", async () => {
  const agent = new Agent({ keepAlive: true });
  const responses = await Promise.all(Array.from({ length: 8 }, () => send("GET", downloadPath, null, { agent })));
  for (const response of responses) {
    expect(response.headers.connection).toBe("close");
    expect(kept.equals(await read(response))).toBe(true);
  }
  const head = await send("HEAD", downloadPath, null, { agent });
  expect([head.headers["content-length"], head.headers.connection]).toEqual([String(kept.byteLength), "keep-alive"]);
  head.resume();
  agent.destroy();
});

test("a connection that asked the API before is handed over with its next request, and the service is told who asks", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = await send("GET", "/api/v1/nothing", null, { agent });
  const { localPort } = first.socket;
  expect([first.statusCode, (await read(first)).length > 0]).toEqual([404, true]);
  const body = randomBytes(2 * mebibyte);
  const correlationId = crypto.randomUUID();
  const headers = {
    ...{ "content-type": "text/plain", "content-length": body.byteLength },
    ...{ "x-forwarded-for": ["6.6.6.6", "7.7.7.7"], "x-correlation-id": correlationId },
    ...{ traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "a=b" },
  };
  const second = await send("PUT", uploadPath, body, { agent, headers });
  expect([second.socket.localPort, second.headers.connection]).toEqual([localPort, "close"]);
  expect((await read(second)).toString()).toBe(sha256(body));
  const told = asked.at(-1)?.headers;
  expect([told?.["x-forwarded-for"], told?.["x-correlation-id"]]).toEqual(["127.0.0.1", correlationId]);
  // Who asks from outside says nothing about the trace.
  expect([told?.traceparent, told?.tracestate]).toEqual([undefined, undefined]);
  agent.destroy();
});

test("a request sent before the answer to the one before it is not handed over, and both are answered in order", async () => {
  const body = randomBytes(2 * mebibyte);
  const text = await exchange(getHead("/api/v1/nothing") + putHead(body.byteLength, "connection: close\r\n"), body);
  expect(text).toMatch(/^HTTP\/1\.1 404 [\s\S]*HTTP\/1\.1 200 /);
  expect(text).toContain(sha256(body));
});

test("nothing behind a request that was handed over is a request: not behind an upload's last byte, not behind a download", async () => {
  const body = randomBytes(2 * mebibyte);
  const before = asked.length;
  const upload = await exchange(
    putHead(body.byteLength),
    Buffer.concat([body, Buffer.from(getHead("/api/v1/file-downloads/b"))]),
  );
  expect(countOf(upload, "HTTP/1.1 ")).toBe(1);
  expect(asked.length).toBe(before + 1);
  for (const behind of ["G", "POST / HTTP/1.1\r\nhost: x\r\ntransfer-enco"]) {
    const download = await exchange(getHead(downloadPath) + behind);
    expect([behind, download.length > kept.byteLength]).toEqual([behind, true]);
  }
});

test("Expect: 100-continue is answered by the service's yes only, also through a relay process", async () => {
  files.once("checkContinue", (request, response) => {
    response.writeContinue();
    files.emit("request", request, response);
  });
  const body = randomBytes(2 * mebibyte);
  const text = await exchange(putHead(body.byteLength, "expect: 100-continue\r\n"), body);
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
});

test("a client that goes away in the middle ends the service's request too", async () => {
  const before = asked.length;
  const socket = connect(gateway.port, "127.0.0.1").on("error", () => {});
  socket.write(putHead(2 * mebibyte));
  socket.write(Buffer.alloc(mebibyte));
  await expect.poll(() => asked.length, { timeout: waitMs }).toBe(before + 1);
  socket.destroy();
  await expect.poll(() => asked.at(-1)?.destroyed, { timeout: waitMs }).toBe(true);
  expect(asked.at(-1)?.complete).toBe(false);
});

test("what passed through a relay process is in the gateway's figures", async () => {
  const text = async (): Promise<string> => (await fetch(`http://127.0.0.1:${gateway.internalPort}/metrics`)).text();
  await expect.poll(text).toMatch(/duration_seconds_count\{[^}]*operation="files\.uploadFile",status="200"/);
  await expect.poll(text).toMatch(/^platform_http_requests_in_flight\S* 0$/m);
  const memory = /^platform_relay_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(await text())?.[1];
  expect(Number(memory)).toBeGreaterThan(10 * mebibyte);
});

test("when the relay process is killed the gateway serves bytes itself, and another takes its place", async () => {
  const [pid] = relayPids();
  if (pid === undefined) throw new Error("no relay process");
  process.kill(pid, "SIGKILL");
  const body = randomBytes(2 * mebibyte);
  // The one request that may have been on its way to it is lost, as with any process that dies.
  const ask = async (): Promise<string> => (await read(await send("PUT", uploadPath, body))).toString();
  await expect.poll(() => ask().catch(() => "lost"), { timeout: waitMs }).toBe(sha256(body));
  await expect.poll(isHandingOver, { timeout: waitMs }).toBe(true);
  expect(relayPids()).not.toContain(pid);
});

test("an upload that is under way when the gateway stops is finished, and the relay process ends with it", async () => {
  const before = asked.length;
  const body = randomBytes(2 * mebibyte);
  const socket = connect(gateway.port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.write(putHead(body.byteLength));
  socket.write(body.subarray(0, mebibyte));
  await expect.poll(() => asked.length, { timeout: waitMs }).toBe(before + 1);
  gateway.stopServing();
  const closed = gateway.close();
  socket.write(body.subarray(mebibyte));
  await once(socket, "close");
  expect(text).toContain(sha256(body));
  await closed;
  expect(relayPids()).toEqual([]);
});
