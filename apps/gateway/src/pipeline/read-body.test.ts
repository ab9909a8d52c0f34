import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBody } from "./read-body.ts";

const bytesMax = 8;

let server: Server;
/** Called with the result of `readBody` for each request, in order. */
const outcomes: ((outcome: string) => void)[] = [];
const nextOutcome = (): Promise<string> => new Promise((resolve) => outcomes.push(resolve));

beforeAll(async () => {
  server = createServer((request, response) => {
    readBody(request, bytesMax).then(
      (bytes) => {
        outcomes.shift()?.(`read ${bytes.toString()}`);
        response.end(`${bytes.toString()};`);
      },
      (error: Error & { code?: string }) => {
        outcomes.shift()?.(error.code ?? error.message);
        response.writeHead(413, { connection: "close" }).end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const open = (): Socket => connect((server.address() as AddressInfo).port, "127.0.0.1");
const head = (...lines: string[]): string => [...lines, "Host: gateway", "", ""].join("\r\n");

/** Sends the text in one write and returns everything that the server sends until it closes the connection. */
async function answersTo(...parts: readonly string[]): Promise<string> {
  const socket = open();
  socket.end(parts.join(""));
  return text(socket);
}

test("treats a request without length and transfer coding as having no body, and reads the next request on its connection", async () => {
  const answers = await answersTo(
    head("GET / HTTP/1.1"),
    head("POST / HTTP/1.1"),
    head("PUT / HTTP/1.1", "Content-Length: 3"),
    "abc",
  );
  expect(answers.split("HTTP/1.1 ").map((answer) => answer.slice(0, 3))).toEqual(["", "200", "200", "200"]);
  expect(answers).toMatch(/\r\n\r\nabc;$/);
});

test("reads the body of a GET by its length or its chunks", async () => {
  expect(await answersTo(head("GET / HTTP/1.1", "Content-Length: 2"), "ab")).toMatch(/\r\n\r\nab;$/);
  const chunks = "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n";
  expect(await answersTo(head("GET / HTTP/1.1", "Transfer-Encoding: chunked"), chunks)).toMatch(/\r\n\r\nabc;$/);
});

test.each([
  ["by its length", "Content-Length: 8", "12345678", "Content-Length: 9", "123456789"],
  [
    "by its chunks",
    "Transfer-Encoding: chunked",
    "8\r\n12345678\r\n0\r\n\r\n",
    "Transfer-Encoding: chunked",
    "8\r\n12345678\r\n1\r\n9\r\n0\r\n\r\n",
  ],
])("reads a body of the limit and rejects one byte more: %s", async (_how, atLimit, eight, beyond, nine) => {
  const read = nextOutcome();
  const refused = nextOutcome();
  await answersTo(head("POST / HTTP/1.1", atLimit), eight);
  await answersTo(head("POST / HTTP/1.1", beyond), nine);
  expect([await read, await refused]).toEqual(["read 12345678", "payload_too_large"]);
});

test("rejects a body that ends too early", async () => {
  const outcome = nextOutcome();
  const socket = open();
  socket.write(`${head("POST / HTTP/1.1", "Content-Length: 5")}ab`, () => socket.destroy());
  expect(await outcome).toBe("deadline_exceeded");
});
