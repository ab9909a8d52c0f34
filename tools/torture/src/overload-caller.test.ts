import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Answer, type Caller, createCaller } from "./overload-caller.ts";

const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 2\r\n\r\n{}";
const request = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";

let connections: Socket[];
let server: ReturnType<typeof createServer>;
let caller: Caller;
let happened: (Answer | "lost")[];
let answer: (socket: Socket) => void;

beforeEach(async () => {
  connections = [];
  happened = [];
  server = createServer((socket) => {
    connections.push(socket);
    socket.on("data", () => answer(socket));
    socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  caller = createCaller((server.address() as AddressInfo).port, {
    answered: (_, given) => void happened.push(given),
    lost: () => void happened.push("lost"),
  });
});
afterEach(async () => {
  caller.close();
  for (const socket of connections) socket.destroy();
  server.close();
  await once(server, "close");
});

const next = async (count: number): Promise<void> => expect.poll(() => happened.length).toBe(count);

test("an answer is told once it is whole, however it is cut", async () => {
  let sent = 30;
  answer = (socket) => socket.write(refusal.slice(0, sent));
  caller.send(request);
  for (const until of [refusal.length - 1, refusal.length]) {
    await expect.poll(() => caller.socket.bytesRead).toBe(sent);
    expect(happened).toEqual([]);
    connections[0]?.write(refusal.slice(sent, until));
    sent = until;
  }
  await next(1);
  expect(happened).toEqual([{ status: "503", hasRetryAfter: true, ms: expect.any(Number) }]);
});

test.each([
  ["none", "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"],
  ["one that is no number", "HTTP/1.1 429 Too Many Requests\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n"],
])("a refusal with no Retry-After of use is known: %s", async (_, refused) => {
  answer = (socket) => socket.write(refused);
  caller.send(request);
  await next(1);
  expect(happened).toEqual([{ status: "429", hasRetryAfter: false, ms: expect.any(Number) }]);
});

test("the next request after an answer that ends its connection has another", async () => {
  answer = (socket) => socket.end(refusal.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
  caller.send(request);
  await next(1);
  answer = (socket) => socket.write(refusal);
  caller.send(request);
  await next(2);
  expect(happened).not.toContain("lost");
  expect(connections).toHaveLength(2);
});

test("a connection that ends without an answer is told, and replaced", async () => {
  answer = (socket) => socket.destroy();
  caller.send(request);
  await next(1);
  expect(happened).toEqual(["lost"]);
  answer = (socket) => socket.write(refusal);
  caller.send(request);
  await next(2);
  expect(happened[1]).toMatchObject({ status: "503" });
});

test("what ends while nothing is asked is replaced in silence", async () => {
  answer = (socket) => socket.write(refusal);
  await expect.poll(() => connections.length).toBe(1);
  connections[0]?.destroy();
  await expect.poll(() => connections.length).toBe(2);
  caller.send(request);
  await next(1);
  expect(happened).toEqual([{ status: "503", hasRetryAfter: true, ms: expect.any(Number) }]);
});
