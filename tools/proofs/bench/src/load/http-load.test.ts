import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type HttpLoad, runHttpLoad } from "./http-load.ts";

let server: Server;
let listener: RequestListener;
let keys: Set<string | undefined>;
let load: HttpLoad;

beforeEach(async () => {
  keys = new Set();
  server = createServer((request, response) => {
    keys.add(request.headers["idempotency-key"] as string | undefined);
    listener(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  load = {
    ports: [(server.address() as AddressInfo).port],
    path: "/",
    body: "{}",
    credentials: ["a", "b"],
    keyPrefix: true,
    connections: 4,
    durationMs: 250,
    perSecond: 200,
  };
});
afterEach(() => void server.closeAllConnections());
afterEach(() => void server.close());

describe("a paced load", () => {
  test("includes a server's stall of one second in the latencies of all requests due during it", async () => {
    let isStalled = false;
    const waiting: (() => void)[] = [];
    let isFirst = true;
    listener = (_, response) => {
      if (isFirst) {
        isFirst = false;
        isStalled = true;
        setTimeout(() => {
          isStalled = false;
          for (const answer of waiting) answer();
        }, 1_000);
      }
      if (isStalled) waiting.push(() => response.end("{}"));
      else response.end("{}");
    };
    // A busy machine manages this rate, too.
    const sample = await runHttpLoad({ ...load, durationMs: 4_000, perSecond: 50 });
    expect(sample.count).toBe(200);
    expect(sample.refusals).toEqual({});
    // 50 of 200 requests wait, evenly distributed from 0 to 1,000 ms. The slowest two of all therefore wait for at least
    // 960 ms.
    expect(sample.p99Ms).toBeGreaterThan(930);
    expect(sample.p50Ms).toBeLessThan(sample.p99Ms / 2);
  });

  test("counts requests without a connection until the end as unsent, with their wait", async () => {
    listener = () => {};
    const answer = setTimeout(() => server.closeAllConnections(), 3_000);
    const sample = await runHttpLoad({ ...load, durationMs: 300 });
    clearTimeout(answer);
    expect(sample.refusals).toEqual({ unsent: 56, "connection lost": 4 });
    expect(sample.p50Ms).toBeGreaterThan(1_000);
  });

  test("sends each request once, with its own key", async () => {
    listener = (_, response) => response.end("{}");
    const { count, good, goodBySecond } = await runHttpLoad(load);
    expect([count, good, keys.size]).toEqual([50, 50, 50]);
    expect(goodBySecond).toEqual([50]);
  });
});

test("uses credentials round robin", async () => {
  const seen: (string | undefined)[] = [];
  listener = ({ headers }, response) => {
    seen.push(headers.authorization);
    response.end("{}");
  };
  await runHttpLoad({ ...load, connections: 1, perSecond: null, bodies: ["1", "2", "3"] });
  expect(seen).toEqual(["Bearer a", "Bearer b", "Bearer a"]);
});

test("sends each of the given bodies once, and ends", async () => {
  const seen: string[] = [];
  listener = async (request, response) => {
    for await (const chunk of request) seen.push(String(chunk));
    response.writeHead(204).end();
  };
  const { count } = await runHttpLoad({ ...load, bodies: ["{}", '"é"'], perSecond: null, durationMs: 60_000 });
  expect([count, seen.sort()]).toEqual([2, ['"é"', "{}"]]);
});

test.each<[string, RequestListener]>([
  [
    "Content-Length",
    (_, response) => void response.writeHead(200, { "content-length": 100_000 }).end("x".repeat(100_000)),
  ],
  [
    "chunks, one of which looks like the last",
    (_, response) => {
      response.write("a");
      response.write("\r\n0\r\n\r\n");
      response.end("b".repeat(100_000));
    },
  ],
  [
    "a connection that ends with them",
    (_, response) => void response.writeHead(200, { connection: "close" }).end("{}"),
  ],
])("reads responses with %s", async (_, answer) => {
  listener = answer;
  const { count, good, refusals } = await runHttpLoad({ ...load, body: null });
  expect([count, good, refusals]).toEqual([50, 50, {}]);
});

test("counts refusals with and without Retry-After", async () => {
  const refusals: [number, Record<string, string>][] = [
    [429, { "retry-after": "1" }],
    [503, { "retry-after": "soon" }],
    [503, {}],
    [500, {}],
    [200, {}],
  ];
  let index = 0;
  listener = (_, response) => {
    const [status, headers] = refusals[index % refusals.length] ?? [0, {}];
    index += 1;
    response.writeHead(status, headers).end("{}");
  };
  const sample = await runHttpLoad(load);
  expect(sample).toMatchObject({ count: 50, good: 10, shed: 30, shedWithoutRetryAfter: 20 });
  expect(sample.refusals).toEqual({ 429: 10, 503: 20, 500: 10 });
  expect(sample.shedMsBySecond.flat()).toHaveLength(30);
});

test("counts connections that end without a response, and replaces them", async () => {
  let isFirst = true;
  listener = (request, response) => {
    if (isFirst) request.socket.destroy();
    else response.end("{}");
    isFirst = false;
  };
  const { count, good, refusals } = await runHttpLoad(load);
  expect([count, good, refusals]).toEqual([50, 49, { "connection lost": 1 }]);
});
