import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { silentLogger } from "@platform/kit/process/telemetry";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createFairLimiter } from "../admission-control/fair-limiter.ts";
import { createGatewayMetrics } from "../gateway-metrics.ts";
import { docsPages } from "./docs-pages.ts";
import { createRouter } from "./router.ts";

let server: Server;
const site = mkdtempSync(join(tmpdir(), "site-"));
const limiter = createFairLimiter({ capacity: 1, queueMax: 0, waitMs: 1_000 });
beforeAll(async () => {
  const router = createRouter({
    pipeline: [],
    docs: docsPages({ limiter, callerOf: () => "a caller", site }),
    clientAddress: () => ({ address: "192.0.2.1", isShared: false }),
    logger: silentLogger(),
    metrics: createGatewayMetrics(),
  });
  server = createServer(router).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
  rmSync(site, { recursive: true });
});

const portOf = (): number => (server.address() as AddressInfo).port;

/** Sends a request target unchanged. fetch would resolve the dots in it. */
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

describe("the API reference", () => {
  test("serves the reference and its files under a policy without inline scripts", async () => {
    const page = await ask("GET", "/docs/reference");
    expect([page.status, page.head.includes("content-security-policy: default-src 'self'")]).toEqual([200, true]);
    expect(page.head).not.toContain("script-src");
    expect(JSON.parse((await ask("GET", "/api/v1/openapi.json")).body).openapi).toBe("3.1.1");
    expect((await ask("GET", "/docs/reference/swagger-ui.css")).status).toBe(200);
    expect((await ask("GET", "/docs/reference/nothing.css")).status).toBe(404);
  });

  test.each([
    "/docs/reference",
    "/docs/reference/start.js",
    "/docs/reference/swagger-ui-bundle.js",
    "/api/v1/openapi.json",
  ])("returns 304 for %s when If-None-Match has its ETag", async (target) => expectRevalidated(target));

  test("limits requests for documents by admission control", async () => {
    const release = await limiter.enter("a caller", 1, () => new AbortController().signal);
    for (const target of ["/docs", "/docs/reference", "/api/v1/openapi.json"]) {
      const { status, head, body } = await ask("GET", target);
      expect([status, JSON.parse(body).error.code]).toEqual([503, "dependency_unavailable"]);
      expect(head).toContain("retry-after: 1");
    }
    release?.();
    expect((await ask("GET", "/docs/reference")).status).toBe(200);
  });
});

describe("the documentation site", () => {
  const folder = (name: string): string => join(site, name);
  beforeEach(() => {
    mkdirSync(folder("guides"), { recursive: true });
    mkdirSync(folder("assets"), { recursive: true });
    writeFileSync(folder("index.html"), "<title>Home</title>");
    writeFileSync(folder("guides/index.html"), "<title>Guides</title>");
    writeFileSync(folder("guides/first-hour.html"), "<title>First hour</title>");
    writeFileSync(folder("guides/first-hour.md"), "# Your first hour\n");
    writeFileSync(folder("assets/app.1234.js"), "export {};\n");
    writeFileSync(folder(".secret"), "not a page");
  });
  afterEach(() => {
    rmSync(site, { recursive: true });
    mkdirSync(site);
  });

  test.each([
    ["/docs/", "text/html", "<title>home</title>"],
    ["/docs/guides/", "text/html", "<title>guides</title>"],
    ["/docs/guides/first-hour", "text/html", "<title>first hour</title>"],
    ["/docs/guides/first-hour.md", "text/markdown", "# your first hour"],
    ["/docs/assets/app.1234.js", "text/javascript", "export {};"],
  ])("serves %s as %s under the policy", async (target, type, content) => {
    const { status, head, body } = await ask("GET", target);
    expect([status, body.trim().toLowerCase()]).toEqual([200, content]);
    expect(head).toContain(`content-type: ${type}`);
    expect(head).toContain("content-security-policy: default-src 'self'");
    expect(head).toContain("x-content-type-options: nosniff");
  });

  test("redirects / to the site through /docs", async () => {
    expect((await ask("GET", "/")).head).toContain("location: /docs\r\n");
    expect((await ask("GET", "/docs")).head).toContain("location: /docs/\r\n");
  });

  test.each(["/docs/", "/docs/assets/app.1234.js"])(
    "returns 304 for %s when If-None-Match has its ETag",
    async (target) => expectRevalidated(target),
  );

  test("lets browsers cache the files whose names contain a hash", async () => {
    expect((await ask("GET", "/docs/assets/app.1234.js")).head).toContain("immutable");
    expect((await ask("GET", "/docs/guides/first-hour")).head).not.toContain("immutable");
  });

  test.each(["/docs/nothing", "/docs/.secret", "/docs/../openapi.json", "/docs/%2e%2e/openapi.json", "/docs/assets/"])(
    "returns the error envelope with 404 for %s",
    async (target) => {
      const { status, body } = await ask("GET", target);
      expect([status, JSON.parse(body).error.code]).toEqual([404, "route_not_found"]);
    },
  );

  test("redirects to the API reference until the site is built", async () => {
    rmSync(folder("index.html"));
    expect((await ask("GET", "/docs/")).head).toContain("location: /docs/reference\r\n");
  });
});

/** Expects 304 for the ETag of a target, weak and in a list, and 200 for another one. */
async function expectRevalidated(target: string): Promise<void> {
  const read = (known: string) => ask("GET", target, `If-None-Match: ${known}\r\n`);
  // fetch is not used for conditional requests, because it adds Cache-Control: no-cache, with which the server sends
  // the whole response.
  const etag = (await fetch(`http://127.0.0.1:${portOf()}${target}`)).headers.get("etag") ?? "";
  expect((await read(`"another", W/${etag.replace(/^W\//, "")}`)).status).toBe(304);
  expect((await read('"another"')).status).toBe(200);
}
