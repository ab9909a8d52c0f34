import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@platform/kit/process/telemetry";
import { startTestRedis, type TestRedis } from "@platform/test-kit/redis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Gateway } from "../src/create-gateway.ts";
import { createForward } from "../src/pipeline/forward.ts";
import { startLoneGateway } from "./lone-gateway.ts";

let redis: TestRedis;
let gateway: Gateway;
/** A replacement for identity-svc, which records requests. */
let identity: Server;
let got: Pick<IncomingMessage, "headers" | "url">[];
beforeAll(async () => {
  redis = await startTestRedis();
  identity = createServer((request, response) => {
    got.push({ headers: request.headers, url: request.url });
    response.end("page");
  });
  identity.listen(0, "127.0.0.1");
  await once(identity, "listening");
  gateway = await startLoneGateway(redis.url, {
    IDENTITY_HTTP: `127.0.0.1:${(identity.address() as AddressInfo).port}`,
    PUBLIC_BASE_URL: "https://api.example.com",
  });
});
afterAll(async () => {
  await gateway.close();
  await redis.close();
  identity.closeAllConnections();
  identity.close();
});
const options = {
  publicBaseUrl: "https://api.example.com",
  beginUpload: () => {},
  isStopping: () => false,
  logger: silentLogger(),
};
beforeEach(() => {
  got = [];
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`http://127.0.0.1:${gateway.port}/api/v1/identity-migration/${path}`, { headers });

test("forwards the source address that the gateway has determined, never the client's own headers", async () => {
  await get("sign-in?a=b", {
    forwarded: "for=203.0.113.66",
    "x-real-ip": "203.0.113.66",
    "x-forwarded-host": "evil.example",
    "x-platform-source-shared": "true",
  });
  expect(got).toHaveLength(1);
  expect(got[0]?.url).toBe("/api/v1/identity-migration/sign-in?a=b");
  const { headers = {} } = got[0] ?? {};
  expect(headers).toMatchObject({
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-host": "api.example.com",
    "x-forwarded-proto": "https",
  });
  for (const name of ["forwarded", "x-real-ip", "x-platform-source-shared"]) expect(headers).not.toHaveProperty(name);
});

test("marks the source as shared if an unconfigured proxy forwards requests of others", async () => {
  await get("sign-in", { "x-forwarded-for": "198.51.100.7" });
  expect(got[0]?.headers).toMatchObject({ "x-forwarded-for": "127.0.0.1", "x-platform-source-shared": "true" });
});

test("forwards a path that cannot be decoded as literal text", async () => {
  expect((await get("%ff%2e")).status).toBe(200);
  expect(got[0]?.url).toBe("/api/v1/identity-migration/%25ff%252e");
});

test("forwards to a service that gains an HTTP port", async () => {
  const { port } = identity.address() as AddressInfo;
  const forward = createForward({ events: `127.0.0.1:${port}` }, { ...options, tls: null });
  const edge = createServer((request, response) => {
    const known = { correlationId: "c", source: "203.0.113.7", isSourceShared: false, answerHeaders: {} };
    forward("events", { request, response, ...known }).catch((error: Error) => response.destroy(error));
  });
  await once(edge.listen(0, "127.0.0.1"), "listening");
  const answer = await fetch(`http://127.0.0.1:${(edge.address() as AddressInfo).port}/api/v1/receipts/1`);
  expect([answer.status, await answer.text(), got[0]?.url]).toEqual([200, "page", "/api/v1/receipts/1"]);
  edge.closeAllConnections();
  edge.close();
});

test("refuses to start if it would call a service in plain text beyond loopback", () => {
  const pages = { identity: "127.0.0.1:8091", files: "files-svc-http:8093", notify: "127.0.0.1:8095" };
  expect(() => createForward(pages, { ...options, tls: null })).toThrow(
    /GRPC_PLAINTEXT_BEYOND_LOOPBACK: forwarding to files-svc-http would be plain text beyond loopback/,
  );
  expect(createForward(pages, { ...options, tls: "plaintext" })).toEqual(expect.any(Function));
});
