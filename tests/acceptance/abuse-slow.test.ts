import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { jsonOf, openConnection } from "./abuse/raw-connection.ts";
import { acceptanceStack, api } from "./stack.ts";

const { baseUrl } = acceptanceStack;

/**
 * Sends `first`, then `drop` every half second until the server closes the connection. Resolves with everything that
 * the server sent.
 */
async function drip(first: string, drop: string): Promise<string> {
  const socket = await openConnection(baseUrl);
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", () => {});
  if (first !== "") socket.write(first);
  const timer = setInterval(() => {
    if (drop !== "" && socket.writable) socket.write(drop);
  }, 500);
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  clearInterval(timer);
  return text;
}

/** Expects either nothing or only the response that the request did not arrive in time. */
function expectTimedOut(text: string): void {
  if (text === "") return;
  expect(text.match(/HTTP\/1\.1 \d{3}/g), text).toEqual(["HTTP/1.1 504"]);
  expect(jsonOf(text.slice(text.indexOf("\r\n\r\n") + 4))?.error).toMatchObject({ code: "deadline_exceeded" });
}

const head = (contentLength: number) =>
  `POST /api/v1/noop HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: ${contentLength}\r\n\r\n`;

// The gateway's time limits are 10 s for headers and 30 s for a request. The test asserts that the connection ends, not
// when.
describe.concurrent("a slow client (CWE-400)", () => {
  test("closes a connection whose headers never end", async () => {
    expectTimedOut(await drip("GET /api/v1/health HTTP/1.1\r\nHost: gateway\r\n", "X-A: b\r\n"));
  });

  test("closes a connection whose request line never ends", async () => {
    expectTimedOut(await drip("GET /api/v1/health?", "a"));
  });

  test("closes a connection that sends nothing", async () => {
    expectTimedOut(await drip("", ""));
  });

  test("closes a connection whose body never ends", async () => {
    expectTimedOut(await drip(head(100_000), " "));
  });

  test("closes a connection whose chunks never end", async () => {
    const first = head(0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    expectTimedOut(await drip(first, "1\r\n \r\n"));
  });

  test("rejects an unauthorized request before its body arrives", async () => {
    const socket = await openConnection(baseUrl);
    const answered = new Promise<string>((resolve) => socket.setEncoding("utf8").once("data", resolve));
    socket.write("POST /api/v1/domain-events HTTP/1.1\r\nHost: gateway\r\nContent-Length: 1000\r\n\r\n");
    expect(await answered).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test("serves others while there are five hundred slow connections", async () => {
    const sockets = await Promise.all(Array.from({ length: 500 }, () => openConnection(baseUrl)));
    for (const socket of sockets) socket.on("error", () => {}).write(head(100));
    const replies = await Promise.all(Array.from({ length: 20 }, () => api("GET", "/health", { credential: null })));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    for (const socket of sockets) socket.destroy();
  });
});
