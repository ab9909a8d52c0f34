import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readBody } from "./read-body.ts";

const small = 64 * 1024;
const bytesMax = 20_000_000;

/** The amounts of memory that `readBody` has requested, in order, in bytes. */
let asked: number[] = [];
let reserveMemory: () => Promise<void> = async () => {};
let outcome = Promise.withResolvers<string>();

let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    const reserve = (bytes: number): Promise<void> => {
      asked.push(bytes);
      return reserveMemory();
    };
    readBody(request, bytesMax, reserve).then(
      (bytes) => {
        outcome.resolve("read");
        response.end(`${bytes.byteLength} ${bytes.subarray(-1)};`);
      },
      (error: Error & { code?: string }) => {
        outcome.resolve(error.code ?? error.message);
        response.writeHead(503).end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked = [];
  reserveMemory = async () => {};
  outcome = Promise.withResolvers();
});

const open = (): Socket => connect((server.address() as AddressInfo).port, "127.0.0.1");
const head = (...lines: string[]): string => ["POST / HTTP/1.1", ...lines, "Host: gateway", "", ""].join("\r\n");
const byLength = (bytes: number): string => `${head(`Content-Length: ${bytes}`)}${"a".repeat(bytes - 1)}z`;
const byChunks = (bytes: number): string =>
  `${head("Transfer-Encoding: chunked")}${(bytes - 1).toString(16)}\r\n${"a".repeat(bytes - 1)}\r\n1\r\nz\r\n0\r\n\r\n`;

async function answersTo(...requests: readonly string[]): Promise<string> {
  const socket = open();
  socket.end(requests.join(""));
  return text(socket);
}

test.each([
  ["that says its length", byLength],
  ["in chunks", byChunks],
])("reserves no memory for a small body %s", async (_how, bodyOf) => {
  expect(await answersTo(bodyOf(small))).toContain(`\r\n\r\n${small} z;`);
  expect(asked).toEqual([]);
});

test("reserves a large body's declared length, or the operation's maximum if the body is chunked", async () => {
  expect(await answersTo(byLength(small + 1), byChunks(small + 1), byChunks(bytesMax))).toMatch(
    /65537 z;[\s\S]*65537 z;[\s\S]*20000000 z;/,
  );
  expect(asked).toEqual([small + 1, bytesMax, bytesMax]);
});

test.each([
  ["that says its length", byLength],
  ["in chunks", byChunks],
])("delays reading a body %s until its memory is reserved", async (_how, bodyOf) => {
  const reserve = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  reserveMemory = () => {
    isAsked.resolve();
    return reserve.promise;
  };
  const received = Promise.withResolvers<Socket>();
  server.once("connection", received.resolve);
  const answers = answersTo(bodyOf(bytesMax));
  await isAsked.promise;
  for (let tick = 0; tick < 100; tick += 1) await new Promise(setImmediate);
  expect((await received.promise).bytesRead).toBeLessThan(1_000_000);
  reserve.resolve();
  expect(await answers).toContain(`${bytesMax} z;`);
});

test.each([
  ["that says its length", byLength],
  ["in chunks", byChunks],
])("discards a body %s that gets no memory, and serves the next request on its connection", async (_how, bodyOf) => {
  reserveMemory = async () => {
    reserveMemory = async () => {};
    throw new Error("no memory");
  };
  const answers = await answersTo(bodyOf(bytesMax), byLength(3));
  expect(await outcome.promise).toBe("no memory");
  expect(answers).toMatch(/^HTTP\/1.1 503 [\s\S]*HTTP\/1.1 200 [\s\S]*\r\n\r\n3 z;$/);
});

test.each([
  ["that says its length", byLength],
  ["in chunks", byChunks],
])("reports no body if the sender disconnects while its body %s waits for memory", async (_how, bodyOf) => {
  const reserve = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  reserveMemory = () => {
    isAsked.resolve();
    return reserve.promise;
  };
  const socket = open();
  socket.write(bodyOf(bytesMax).slice(0, 150_000));
  await isAsked.promise;
  socket.resetAndDestroy();
  await once(socket, "close");
  reserve.resolve();
  expect(await outcome.promise).toBe("deadline_exceeded");
});

test("reports a body as not arrived if the sender disconnects before its first byte", async () => {
  const reserve = Promise.withResolvers<void>();
  const isAsked = Promise.withResolvers<void>();
  reserveMemory = () => {
    isAsked.resolve();
    return reserve.promise;
  };
  const gone = Promise.withResolvers<void>();
  server.once("connection", (socket: Socket) => socket.once("close", () => gone.resolve()));
  const socket = open();
  socket.write(head(`Content-Length: ${bytesMax}`));
  await isAsked.promise;
  socket.destroy();
  await gone.promise;
  reserve.resolve();
  expect(await outcome.promise).toBe("deadline_exceeded");
});
