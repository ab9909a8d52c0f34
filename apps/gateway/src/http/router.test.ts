import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { routedOperations } from "@platform/contracts/operations";
import { silentLogger } from "@platform/kit/process/telemetry";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFairLimiter } from "../admission-control/fair-limiter.ts";
import { createGatewayMetrics } from "../gateway-metrics.ts";
import type { Exchange, Stage } from "../pipeline/exchange.ts";
import { docsPages } from "./docs-pages.ts";
import { createRouter } from "./router.ts";

/** Responds with the operation that was found, and its parameters. */
const tell: Stage = async ({ operation, rawParams }) => ({
  kind: "body",
  status: 200,
  body: JSON.stringify({ id: operation.id, rawParams }),
});

let server: Server;
let stage: Stage;
const limiter = createFairLimiter({ capacity: 1, queueMax: 0, waitMs: 1_000 });
beforeAll(async () => {
  const router = createRouter({
    pipeline: [(exchange, next) => stage(exchange, next)],
    docs: docsPages({ limiter, callerOf: () => "a caller" }),
    clientAddress: () => ({ address: "192.0.2.1", isShared: false }),
    logger: silentLogger(),
    metrics: createGatewayMetrics(),
  });
  server = createServer({ requireHostHeader: false }, router);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());
beforeEach(() => {
  stage = tell;
});

const portOf = (): number => (server.address() as AddressInfo).port;

async function ask(
  method: string,
  target: string,
  headers = "",
): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(portOf(), "127.0.0.1");
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${headers}\r\n`);
  const [head = "", body = ""] = (await text(socket)).split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head: head.toLowerCase(), body };
}

describe("an operation of the table", () => {
  test.each(routedOperations.map((operation) => [operation.id, operation] as const))(
    "finds %s by its method and path",
    async (id, operation) => {
      const path = operation.path.replace(/\{\w+\+\}/g, "any/rest").replace(/\{\w+\}/g, "value");
      const { status, body } = await ask(operation.method, `/api/v1${path}?query=1`);
      expect([status, JSON.parse(body).id]).toEqual([200, id]);
    },
  );

  test("decodes path parameters, and passes on those that cannot be decoded unchanged", async () => {
    const path = "/api/v1/notification-endpoints/e/consents/";
    for (const [sent, purpose] of [
      ["a%2Fb", "a/b"],
      ["a%zz", "a%zz"],
      ["%ff", "%ff"],
      ["%E3%81%82", "あ"],
    ] as const) {
      const { body } = await ask("PUT", path + sent);
      expect(JSON.parse(body).rawParams).toEqual({ endpointId: "e", purpose });
    }
  });

  test("supports HEAD for each path that supports GET", async () => {
    const { status, body } = await ask("HEAD", "/api/v1/health");
    expect([status, body]).toEqual([200, ""]);
  });
});

describe("a request that no operation serves", () => {
  test.each([
    "/api/v1",
    "/api/v1/",
    "/api/v1/health/",
    "/api/v1//health",
    "/api/v1/HEALTH",
    "/api/v1/health/x",
    "/api/v1/notification-endpoints//verify",
    "/api/v1/{}",
    "/api/v1/file-downloads",
    "/api/v1/unsubscribe/",
    "/health",
    "//health",
    "/favicon.ico",
    "/%ff",
  ])("returns route_not_found for an unknown route: %j", async (target) => {
    const { status, head, body } = await ask("GET", target);
    expect([status, JSON.parse(body).error.code]).toEqual([404, "route_not_found"]);
    expect(head).toContain(`x-correlation-id: ${JSON.parse(body).error.correlation_id}`);
  });

  test.each([
    ["PATCH", "/notification-endpoints/e", "get, head, delete"],
    ["OPTIONS", "/project-client", "get, head"],
    ["GET", "/identity-migration/continue", "post"],
    ["DELETE", "/identity-migration/sign-in", "get, head, post"],
    ["POST", "/file-downloads/x", "get, head"],
  ])("returns 405 for %s %s, with the methods of the path", async (method, path, allow) => {
    const { status, head, body } = await ask(method, `/api/v1${path}`);
    expect([status, JSON.parse(body).error.code]).toEqual([405, "method_not_allowed"]);
    expect(head).toContain(`\r\nallow: ${allow}\r\n`);
  });

  test("returns a page to a browser for an unknown route on a page's path, and the error envelope otherwise", async () => {
    const accept = "Accept: text/html\r\n";
    expect((await ask("DELETE", "/api/v1/unsubscribe/x", accept)).head).toContain("content-type: text/html");
    expect((await ask("DELETE", "/api/v1/file-downloads/x", accept)).head).toContain("content-type: application/json");
  });
});

describe("a browser's preflight", () => {
  test("responds to a preflight if an operation allows it", async () => {
    const { status, head } = await ask("OPTIONS", "/api/v1/advertising/viewable-impressions");
    expect(status).toBe(204);
    expect(head).toContain("access-control-allow-methods: post");
    expect((await ask("POST", "/api/v1/advertising/viewable-impressions")).head).toContain(
      "access-control-allow-origin: *",
    );
  });
});

describe("a page of another origin", () => {
  const token = "a".repeat(64);

  test.each([
    ["PUT", `/file-uploads/${token}`, "put", "content-type"],
    ["GET", `/file-downloads/${token}`, "get, head", "range"],
    ["HEAD", `/public-assets/${token}/x.png`, "get, head", "range"],
  ])(
    "permits %s %s from another origin, and responds to its preflight before the pipeline",
    async (method, path, methods, header) => {
      const { status, head, body } = await ask("OPTIONS", `/api/v1${path}`);
      expect([status, body]).toEqual([204, ""]);
      expect(head).toContain(`access-control-allow-methods: ${methods}\r\n`);
      expect(/access-control-allow-headers: (.*)/.exec(head)?.[1]).toContain(header);
      expect(head).not.toContain("access-control-allow-credentials");
      const answer = await ask(method, `/api/v1${path}`);
      expect(answer.head).toContain("access-control-allow-origin: *");
      expect(answer.head).not.toContain("access-control-allow-credentials");
    },
  );

  test.each(["/project-client", "/file-objects/upload-grants", "/noop", "/identity-migration/sign-in"])(
    "does not permit %s from another origin, because it takes a credential or a session (cross-origin request)",
    async (path) => {
      const { status, head } = await ask("OPTIONS", `/api/v1${path}`);
      expect(status).toBe(405);
      expect(head).not.toContain("access-control-");
    },
  );
});

test("redirects /account to the account page of identity-svc", async () => {
  const { status, head } = await ask("GET", "/account");
  expect([status, head]).toEqual([302, expect.stringContaining("location: /api/v1/identity-migration/account")]);
});

test.each(["HTTP/0.9", "HTTP/2.0", "HTTP/1.2"])(
  "rejects a request line of %s, and closes the connection",
  async (version) => {
    const socket = connect(portOf(), "127.0.0.1");
    socket.write(`GET /api/v1/health ${version}\r\nHost: gateway\r\n\r\n`);
    const answer = await text(socket);
    expect(answer === "" || /^HTTP\/1\.1 4\d\d /.test(answer), answer).toBe(true);
  },
);

describe("a request without a Host header", () => {
  const bare = async (version: string, headers = ""): Promise<string> => {
    const socket = connect(portOf(), "127.0.0.1");
    socket.write(`GET /api/v1/health ${version}\r\n${headers}\r\n`);
    return text(socket);
  };
  test("responds in HTTP/1.0, which health checks of load balancers use, and closes the connection", async () => {
    expect(await bare("HTTP/1.0")).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
  });

  test.each([
    ["HTTP/1.1", "Connection: close\r\n"],
    ["HTTP/1.0", "Host: a\r\nHost: b\r\n"],
    ["HTTP/1.0", "Transfer-Encoding: chunked\r\n"],
  ])("rejects a request in %s with the headers %j", async (version, headers) => {
    expect(await bare(version, headers)).toMatch(/^HTTP\/1\.1 422 /);
  });
});

describe("the signal of a request", () => {
  /** Sends a request from a client that disconnects immediately. Returns the exchange on the server. */
  async function askAndLeave(look: (exchange: Exchange) => void): Promise<Exchange> {
    const gone = Promise.withResolvers<Exchange>();
    stage = (exchange) => {
      look(exchange);
      exchange.response.once("close", () => gone.resolve(exchange));
      client.destroy();
      return new Promise(() => {});
    };
    const client = connect(portOf(), "127.0.0.1");
    client.write("GET /api/v1/project-client HTTP/1.1\r\nhost: gateway\r\n\r\n");
    return gone.promise;
  }

  test("aborts the request's signal when its client disconnects", async () => {
    let signal: AbortSignal | null = null;
    await askAndLeave((exchange) => {
      signal = exchange.signal();
      expect(signal.aborted).toBe(false);
    });
    expect(signal).toHaveProperty("aborted", true);
  });

  test("returns an aborted signal if it is first requested after the client has disconnected", async () => {
    const exchange = await askAndLeave(() => {});
    expect(exchange.signal().aborted).toBe(true);
    expect(exchange.signal()).toBe(exchange.signal());
  });
});
