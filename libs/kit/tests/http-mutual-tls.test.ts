import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { type AgentOptions, request } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { TLSSocket, Server as TlsServer } from "node:tls";
import { createTestAuthority, type TestAuthority, writeTlsFiles } from "@platform/test-kit/certificates";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createLogger } from "../src/process/logger.ts";
import { createMetrics } from "../src/process/metrics.ts";
import type { CallerName } from "../src/rpc/caller-identity.ts";
import { showCertificateExpiry } from "../src/rpc/certificate-metrics.ts";
import type { TlsFiles } from "../src/rpc/credentials.ts";
import { MutualTlsAgent } from "../src/web/mutual-tls.ts";
import { type HttpServer, serveHttp } from "../src/web/serve-http.ts";

let directory: string;
let authority: TestAuthority;
const opened: HttpServer[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "http-mutual-tls-"));
  authority = await createTestAuthority();
});
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close(0);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Issues a certificate with this name. Each call replaces the files in the same folder. */
const filesOf = async (name: string, folder = name, trusted = [authority], issuer = authority): Promise<TlsFiles> =>
  writeTlsFiles(join(directory, folder), trusted, await issuer.issue(name));

/** Serves the text "page" on a port like that of files-svc, which only the gateway may call. */
async function serve({ isPlaintextServed = false, headersTimeout = 10_000 } = {}) {
  const files = { ...(await filesOf("files-svc", "server")), reloadMs: 10 };
  const sink = new PassThrough();
  const logged: string[] = [];
  sink.on("data", (chunk: Buffer) => logged.push(chunk.toString()));
  const logger = createLogger("files-svc", "info", sink);
  const requests: IncomingMessage[] = [];
  const server = await serveHttp(
    (incoming, response) => {
      requests.push(incoming);
      response.end("page");
    },
    {
      host: "127.0.0.1",
      port: 0,
      server: { headersTimeout },
      tls: { files, callers: ["gateway"], isPlaintextServed, logger },
    },
  );
  opened.push(server);
  return { server, logged, requests };
}

async function get(
  { port }: HttpServer,
  files: TlsFiles,
  serverName: CallerName = "files-svc",
  options: AgentOptions = {},
) {
  const agent = new MutualTlsAgent(files, serverName, options);
  try {
    const [response] = await once(request({ host: "localhost", port, agent }).end(), "response");
    return text(response as IncomingMessage);
  } finally {
    agent.destroy();
  }
}

async function getPlain({ port }: HttpServer): Promise<string> {
  const [response] = await once(plainRequest({ host: "127.0.0.1", port }).end(), "response");
  return text(response as IncomingMessage);
}

test("serves the gateway because of the name in its certificate", async () => {
  const { server } = await serve();
  expect(await get(server, await filesOf("gateway"))).toBe("page");
});

test("disconnects a client without a certificate before it reads a request, and logs why", async () => {
  const { server, logged, requests } = await serve();
  const bare = request({ host: "127.0.0.1", port: server.port, rejectUnauthorized: false }).end();
  await expect(once(bare, "response")).rejects.toThrow(/certificate required|hang up|ECONNRESET/i);
  await eventually(() => logged.some((line) => line.includes("a client certificate was rejected")));
  expect(requests).toEqual([]);
});

test.each(["ads-svc", "files-svc", "operator", "consumer"])(
  "disconnects a client with the certificate of %s before it reads a request, and logs that name",
  async (name) => {
    const { server, logged, requests } = await serve();
    await expect(get(server, await filesOf(name))).rejects.toThrow(/hang up|ECONNRESET/);
    await eventually(() =>
      logged.some((line) => line.includes("certificate was rejected") && line.includes(`"${name}"`)),
    );
    expect(requests).toEqual([]);
  },
);

test("disconnects a client whose certificate is from another authority", async () => {
  const { server, requests } = await serve();
  const stranger = await createTestAuthority("somebody else");
  const files = await filesOf("gateway", "stranger", [authority], stranger);
  await expect(get(server, files)).rejects.toThrow(/alert|hang up|ECONNRESET/);
  expect(requests).toEqual([]);
});

test("disconnects a client that speaks plain HTTP", async () => {
  const { server, requests } = await serve();
  await expect(getPlain(server)).rejects.toThrow(/hang up|ECONNRESET/);
  expect(requests).toEqual([]);
});

test("serves plain HTTP in addition to TLS if that is allowed, and accepts no other certificate", async () => {
  const { server } = await serve({ isPlaintextServed: true });
  expect(await getPlain(server)).toBe("page");
  expect(await get(server, await filesOf("gateway"))).toBe("page");
  await expect(get(server, await filesOf("ads-svc"))).rejects.toThrow(/hang up|ECONNRESET/);
});

test("sends nothing through an agent to a server whose certificate names another service", async () => {
  const { server, requests } = await serve();
  await expect(get(server, await filesOf("gateway"), "notify-svc")).rejects.toThrow(
    /notify-svc was called, but the certificate is of "files-svc"/,
  );
  expect(requests).toEqual([]);
});

test("uses renewed certificates for the next connection, in server and agent", async () => {
  const { server, logged } = await serve();
  const next = await createTestAuthority("next authority");
  const clientFiles = await filesOf("gateway", "renewed-client");
  const agent = new MutualTlsAgent(clientFiles, "files-svc", { keepAlive: false });
  const presented: string[] = [];
  (server.server as TlsServer).on("secureConnection", (socket) => {
    presented.push(socket.getPeerCertificate().serialNumber);
  });
  const serials = async (): Promise<[string, string | undefined]> => {
    const sent = request({ host: "localhost", port: server.port, agent }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
    await text(response);
    return [serialNumber, presented.at(-1)];
  };
  const before = await serials();
  await filesOf("gateway", "renewed-client", [authority, next], next);
  await filesOf("files-svc", "server", [authority, next], next);
  // The files are written one after the other, so the test waits until the last complete set is in use.
  await eventually(async () => {
    const after = await serials();
    return after[0] !== before[0] && after[1] !== before[1];
  });
  expect(logged.some((line) => line.includes("the certificates were renewed"))).toBe(true);
  agent.destroy();
});

test("exports when a process's certificates expire", async () => {
  const files = await filesOf("files-svc", "expiring");
  const { registry } = createMetrics("files-svc", { processMetrics: false });
  showCertificateExpiry(registry, files);
  const page = await registry.metrics();
  const ends = new Map(
    [...page.matchAll(/^platform_certificate_expiry_timestamp_seconds\{certificate="(\w+)".*\} (\S+)$/gm)].map(
      ([, name, value]) => [name, Number(value)],
    ),
  );
  const ownEnd = Date.parse(new X509Certificate(readFileSync(files.certPath)).validTo) / 1000;
  expect(ends.get("own")).toBe(ownEnd);
  expect(ends.get("authority")).toBeGreaterThan(ownEnd);
});

test("closes a connection that sends nothing, on a port that also serves plain text", async () => {
  const { server } = await serve({ isPlaintextServed: true, headersTimeout: 200 });
  const silent = connect({ host: "127.0.0.1", port: server.port });
  silent.on("error", () => {});
  await once(silent.resume(), "close");
  expect(await getPlain(server)).toBe("page");
});
