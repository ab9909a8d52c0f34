import { createServer, type IncomingMessage } from "node:http";
import { duplexPair } from "node:stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWholeRequest } from "./whole-request.ts";

const read = (text: string) => readWholeRequest(Buffer.from(text, "latin1"));
const body = '{"type":"load.happened"}';
const plain = [
  "POST /api/v1/domain-events?a=b HTTP/1.1",
  "Host: gateway",
  "Authorization: Bearer pcred_1",
  "Connection: keep-alive",
  `Content-Length: ${body.length}`,
  "",
  body,
].join("\r\n");

describe("a plain request", () => {
  test("is read as Node would read it", () => {
    expect(read(plain)).toEqual({
      method: "POST",
      url: "/api/v1/domain-events?a=b",
      headers: expect.objectContaining({ host: "gateway", authorization: "Bearer pcred_1" }),
      rawHeaders: plain
        .split("\r\n")
        .slice(1, 5)
        .flatMap((line) => line.split(": ")),
    });
  });

  test("needs no body, and may say that it has none", () => {
    expect(read("GET / HTTP/1.1\r\nhost: x\r\n\r\n")).toMatchObject({ method: "GET", url: "/" });
    expect(read("DELETE /a HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")).toMatchObject({ method: "DELETE" });
  });

  test("has at most 64 headers and 4,096 bytes", () => {
    const withHeaders = (count: number): string =>
      `GET / HTTP/1.1\r\nhost: x\r\n${Array.from({ length: count - 1 }, (_, index) => `x-${index}: 1\r\n`).join("")}\r\n`;
    expect(read(withHeaders(64))).not.toBeNull();
    expect(read(withHeaders(65))).toBeNull();
    const ofBytes = (count: number): string => {
      const start = "GET / HTTP/1.1\r\nhost: ";
      return `${start}${"x".repeat(count - start.length - 4)}\r\n\r\n`;
    };
    expect(read(ofBytes(4_096))).not.toBeNull();
    expect(read(ofBytes(4_097))).toBeNull();
  });
});

const get = (...lines: string[]): string => ["GET / HTTP/1.1", ...lines, "", ""].join("\r\n");
const odd: Readonly<Record<string, string>> = {
  "nothing at all": "",
  "half of a request": plain.slice(0, 60),
  "a request without its last byte": plain.slice(0, -1),
  "a request and a byte more": `${plain} `,
  "two requests": plain + plain,
  "an empty line before it": `\r\n${plain}`,
  "lines that end in LF": plain.replaceAll("\r\n", "\n"),
  "a lone CR": get("host: x", "a: b\rc: d"),
  "a lone LF": get("host: x", "a: b\nc: d"),
  NUL: get("host: x", "a: b\0"),
  "a folded value": get("host: x", "a: b", " c"),
  "an empty value": get("host: x", "a: "),
  "a padded value": get("host: x", "a:  b"),
  "a blank behind a value": get("host: x", "a: b "),
  "a tab": get("host: x", "a: b\tc"),
  "no blank before a value": get("host: x", "a:b"),
  "a blank behind a name": get("host: x", "a : b"),
  "bytes beyond ASCII": get("host: x", "a: \u00e9"),
  "no Host": get("a: b"),
  "two Hosts": get("host: x", "Host: y"),
  "a length twice": get("host: x", "content-length: 0", "content-length: 0"),
  "lengths in one value": get("host: x", "content-length: 0, 0"),
  "a length with a sign": get("host: x", "content-length: +0"),
  "a length with a zero in front": `${get("host: x", "content-length: 01")}a`,
  "a length in hexadecimal": get("host: x", "content-length: 0x0"),
  "a body without a length": `${get("host: x")}a`,
  "a coded body": get("host: x", "transfer-encoding: chunked"),
  "a coded body beside a length": `${get("host: x", "content-length: 5", "transfer-encoding: chunked")}0\r\n\r\n`,
  "an upgrade": get("host: x", "upgrade: websocket"),
  "a connection that ends": get("host: x", "connection: close"),
  "a connection that changes": get("host: x", "connection: keep-alive, upgrade"),
  "an expectation": get("host: x", "expect: 100-continue"),
  "HTTP/1.0": get("host: x").replace("1.1", "1.0"),
  "HTTP/2's preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "an absolute target": get("host: x").replace("GET /", "GET http://x/"),
  "a blank in the target": get("host: x").replace("GET /", "GET /a b"),
  HEAD: get("host: x").replace("GET", "HEAD"),
  OPTIONS: get("host: x").replace("GET", "OPTIONS"),
  CONNECT: get("host: x").replace("GET /", "CONNECT x:1"),
  "a method in small letters": get("host: x").replace("GET", "get"),
};

test.each(Object.keys(odd))("%s: left to Node", (name) => {
  expect(read(odd[name] ?? "")).toBeNull();
});

/** What Node makes of bytes that are followed by another request. */
async function byNode(bytes: Buffer): Promise<IncomingMessage[]> {
  const [client, socket] = duplexPair();
  const seen: IncomingMessage[] = [];
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    seen.push(request);
    request.resume();
    response.end();
  });
  server.on("clientError", () => socket.destroy());
  server.emit("connection", socket);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  client.on("error", () => {}).resume();
  client.write(bytes);
  client.end("GET /behind HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await closed;
  return seen;
}

test("request smuggling: whatever is read here, however it was changed, ends for Node where it ends here", async () => {
  const pieces = [
    "\r\n",
    "\n",
    "\r",
    " ",
    ":",
    ": ",
    "\0",
    "\t",
    ",",
    "0",
    "1",
    "4",
    "24",
    body,
    "a",
    "\u00e9",
    "/",
    "HTTP/1.1",
  ];
  const lines = [
    "Host: y",
    "X: z",
    "Transfer-Encoding: chunked",
    "Content-Length: 0",
    "Connection: keep-alive",
    "POST / HTTP/1.1",
  ];
  const change = fc.record({
    at: fc.nat({ max: plain.length }),
    drop: fc.nat({ max: 3 }),
    put: fc.oneof(
      fc.constantFrom("", ...pieces),
      fc.constantFrom(...lines).map((line) => `\r\n${line}`),
      fc.string({ maxLength: 3 }),
    ),
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 2 }), async (changes) => {
      let text = plain;
      for (const { at, drop, put } of changes) text = text.slice(0, at) + put + text.slice(at + drop);
      const bytes = Buffer.from(text, "latin1");
      const request = readWholeRequest(bytes);
      if (request === null) return;
      compared += 1;
      const [made, behind, ...more] = await byNode(bytes);
      expect(more).toEqual([]);
      expect(behind?.url).toBe("/behind");
      expect({ method: made?.method, url: made?.url, rawHeaders: made?.rawHeaders }).toEqual({
        method: request.method,
        url: request.url,
        rawHeaders: request.rawHeaders,
      });
    }),
    { numRuns: 5_000 },
  );
  expect(compared).toBeGreaterThan(500);
});
