import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { type ConnectionOptions, connect as tlsConnect } from "node:tls";
import { defined } from "@platform/kit/process/fields";
import { createLogger, createMetrics } from "@platform/kit/process/telemetry";
import { connectGrpc, type GrpcConnection, type TlsFiles } from "@platform/kit/rpc/client";
import {
  type CallerName,
  callerGuard,
  type GrpcServer,
  type Guard,
  type Implementation,
  implement,
  implementForOperators,
  type OtherCallers,
  type ServedService,
  serveGrpc,
} from "@platform/kit/rpc/server";
import { connectMongo } from "@platform/kit/store/schema";
import { QuotaLevelService } from "@platform/proto/events/v1/events_service";
import { createTestAuthority, type TestAuthority, writeTlsFiles } from "@platform/test-kit/certificates";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo } from "@platform/test-kit/mongo";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAssertionSigner } from "../src/operators/assertions.ts";
import { createTestPlane } from "./operator-fixture.ts";
import { serverSerial } from "./server-serial.ts";

const token = "operator-token-of-this-test-0123456789";
const mongo = await startTestMongo();
const connection = await connectMongo(mongo);
const signer = await createAssertionSigner({ current: randomBytes(32), previous: [] });
const plane = createTestPlane(connection, token, async () => signer.keys);
const withToken = { authorization: `Bearer ${token}` };
const seven = async () => ({ used: 7n });
let directory: string;
let authority: TestAuthority;
let serverFiles: TlsFiles;
const opened: { close(): unknown }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "mutual-tls-"));
  authority = await createTestAuthority();
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
  await rm(directory, { recursive: true, force: true });
});

/** Starts a server with one RPC that returns 7. Returns the lines that it logs, too. */
async function serve(
  guard?: Guard,
  connectionAgeMs?: number,
  getQuotaLevel: Implementation<typeof QuotaLevelService>["getQuotaLevel"] = seven,
  service?: ServedService,
): Promise<{ server: GrpcServer; logged: string[] }> {
  serverFiles = await writeTlsFiles(join(directory, "server"), [authority], await authority.issue("events-svc"));
  const logged: string[] = [];
  const sink = new PassThrough();
  sink.on("data", (chunk: Buffer) => logged.push(chunk.toString()));
  const server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: { ...serverFiles, reloadMs: 10 },
    services: [service ?? implement(QuotaLevelService, { getQuotaLevel }, ...(guard === undefined ? [] : [guard]))],
    operators: plane,
    logger: createLogger("events-svc", "info", sink),
    metrics: createMetrics("events-svc", { processMetrics: false }),
    ...defined({ connectionAgeMs }),
  });
  opened.push(server);
  return { server, logged };
}

const serveOperators = (others: OtherCallers = {}) =>
  serve(undefined, undefined, undefined, implementForOperators(QuotaLevelService, { getQuotaLevel: seven }, others));

function connect(server: GrpcServer, tls: TlsFiles | null, metadata: Record<string, string> = {}): GrpcConnection {
  const connection = connectGrpc({ address: `localhost:${server.port}`, tls, metadata });
  opened.push(connection);
  return connection;
}

/** Issues certificate files for a client with the name `name`. */
async function filesOf(name: string, issuer: TestAuthority = authority, validMs?: number): Promise<TlsFiles> {
  return writeTlsFiles(join(directory, `${name}-${opened.length}`), [authority], await issuer.issue(name, validMs));
}

const call = (connection: GrpcConnection) =>
  connection.service(QuotaLevelService).getQuotaLevel(
    { resource: "audit_retention" },
    {
      context: { correlationId: "c", operation: "test", projectClient: null, idempotency: null },
      deadlineMs: Date.now() + 30_000,
    },
  );

const codeOf = (answer: Promise<unknown>) =>
  answer.then(
    () => "ok",
    (error: { code?: string }) => error.code,
  );

test("admits the gateway's certificate if a service names no other caller", async () => {
  const { server } = await serve();
  expect((await call(connect(server, await filesOf("gateway")))).used).toBe(7n);
});

test("refuses a caller that is not on the allow-list, and logs its name", async () => {
  const { server, logged } = await serve();
  expect(await codeOf(call(connect(server, await filesOf("ads-svc"))))).toBe("unauthenticated");
  await eventually(() =>
    logged.some((line) => line.includes("a call was rejected") && line.includes('"caller":"ads-svc"')),
  );
});

test("admits only the callers that a service names", async () => {
  const { server } = await serve(callerGuard("gateway", "events-svc"));
  const codes: Partial<Record<CallerName, unknown>> = {};
  for (const name of ["gateway", "events-svc", "notify-svc", "operator"] as const) {
    codes[name] = await codeOf(call(connect(server, await filesOf(name))));
  }
  expect(codes).toEqual({
    gateway: "ok",
    "events-svc": "ok",
    "notify-svc": "unauthenticated",
    operator: "unauthenticated",
  });
});

test("requires both the operator's certificate and token for operator RPCs", async () => {
  const { server } = await serveOperators();
  expect(await codeOf(call(connect(server, await filesOf("operator"), withToken)))).toBe("ok");
  expect(await codeOf(call(connect(server, await filesOf("operator"))))).toBe("unauthenticated");
  expect(await codeOf(call(connect(server, await filesOf("gateway"), withToken)))).toBe("unauthenticated");
});

test("admits the console for people who have signed in, but not with the operator token", async () => {
  const { server } = await serveOperators();
  const person = { subject: "ann", name: "Ann", roles: ["viewer"], reason: null, requestId: null } as const;
  const { assertion } = await signer.sign({ ...person, sessionId: "s1", signedInAt: new Date() }, new Date());
  const signedIn = { authorization: `Bearer ${assertion}` };
  expect(await codeOf(call(connect(server, await filesOf("console"), signedIn)))).toBe("ok");
  expect(await codeOf(call(connect(server, await filesOf("console"), withToken)))).toBe("unauthenticated");
  expect(await codeOf(call(connect(server, await filesOf("console"))))).toBe("unauthenticated");
});

test("admits only the gateway, and operators with their token, to RPCs that they share", async () => {
  const { server } = await serveOperators({ gateway: true });
  expect(await codeOf(call(connect(server, await filesOf("gateway"))))).toBe("ok");
  expect(await codeOf(call(connect(server, await filesOf("operator"), withToken)))).toBe("ok");
  expect(await codeOf(call(connect(server, await filesOf("operator"))))).toBe("unauthenticated");
  expect(await codeOf(call(connect(server, await filesOf("notify-svc"), withToken)))).toBe("unauthenticated");
});

test("refuses a client without a certificate in the handshake, and logs why", async () => {
  const { server, logged } = await serve();
  const socket = tlsConnect({ host: "127.0.0.1", port: server.port, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
  const [error] = (await once(socket, "error")) as [Error];
  expect(error.message).toMatch(/certificate required/i);
  await eventually(() =>
    logged.some((line) => /client certificate was rejected.*/.test(line) && /DID_NOT_RETURN_A_CERTIFICATE/.test(line)),
  );
});

test.each([
  [
    "of another authority",
    async () => filesOf("gateway", await createTestAuthority("somebody else")),
    /SELF_SIGNED|UNABLE_TO|SIGNATURE/,
  ],
  ["that has expired", async () => filesOf("gateway", authority, -60_000), /CERT_HAS_EXPIRED/],
])("refuses a client certificate %s, and logs the reason", async (_what, files, reason) => {
  const { server, logged } = await serve();
  expect(await codeOf(call(connect(server, await files())))).toBe("dependency_unavailable");
  await eventually(() =>
    logged.some((line) => line.includes("a client certificate was rejected") && reason.test(line)),
  );
});

test("accepts a server certificate by name or address, even if several servers are configured", async () => {
  const { server } = await serve();
  const other = await serve();
  const addresses = [`127.0.0.1:${server.port}`, `127.0.0.1:${server.port},127.0.0.1:${other.server.port}`];
  for (const address of addresses) {
    const connection = connectGrpc({ address, tls: await filesOf("gateway") });
    opened.push(connection);
    expect((await call(connection)).used).toBe(7n);
  }
});

test("does not connect to a server of another authority", async () => {
  const { server } = await serve();
  const stranger = await createTestAuthority("somebody else");
  const files = await writeTlsFiles(join(directory, "trusts-stranger"), [stranger], await authority.issue("gateway"));
  expect(await codeOf(call(connect(server, files)))).toBe("dependency_unavailable");
});

test("refuses plain text on a server with TLS", async () => {
  const { server } = await serve();
  expect(await codeOf(call(connect(server, null)))).toBe("dependency_unavailable");
});

test("replaces both certificates and the authority under load without a failed call", async () => {
  // Connections end soon, so that every new certificate is used, but not before a handshake ends on a busy machine.
  const { server, logged } = await serve(undefined, 500);
  const clientDirectory = join(directory, "rotated-client");
  const clientFiles = await writeTlsFiles(clientDirectory, [authority], await authority.issue("gateway"));
  // A stream of calls would keep its connection open. Single calls open a new one once the old one has ended.
  const connection = connectGrpc({
    address: `localhost:${server.port}`,
    tls: { ...clientFiles, reloadMs: 10 },
    isMuxUsed: false,
  });
  opened.push(connection);
  const presented = () => serverSerial(server, clientFiles);
  const first = await presented();

  const outcomes: unknown[] = [];
  let isDone = false;
  const load = Promise.all(
    Array.from({ length: 8 }, async () => {
      while (!isDone) outcomes.push(await codeOf(call(connection)));
    }),
  );
  const next = await createTestAuthority("next authority");
  // An operator replaces an authority in this order: trust both, issue certificates from the new one, remove the old
  // one.
  for (const [trusted, issuer] of [
    [[authority, next], authority],
    [[authority, next], next],
    [[next], next],
  ] as const) {
    const renewals = () => logged.filter((line) => line.includes("the certificates were renewed")).length;
    const before = renewals();
    const [server1, client1] = [await issuer.issue("events-svc"), await issuer.issue("gateway")];
    await writeTlsFiles(clientDirectory, trusted, client1);
    await writeTlsFiles(join(directory, "server"), trusted, server1);
    await eventually(() => renewals() > before);
    const seen = outcomes.length;
    const usedAfterMs = performance.now() + 600;
    await eventually(() => outcomes.length > seen + 200 && performance.now() > usedAfterMs);
  }
  isDone = true;
  await load;
  expect(outcomes.filter((code) => code !== "ok")).toEqual([]);
  expect(await presented()).not.toBe(first);
});

test("keeps the old certificate if a renewed one does not match its key", async () => {
  const ageMs = 500;
  const { server, logged } = await serve(undefined, ageMs);
  const connection = connect(server, await filesOf("gateway"));
  expect(await codeOf(call(connection))).toBe("ok");
  await writeFile(serverFiles.certPath, (await authority.issue("events-svc")).cert);
  await eventually(() => logged.some((line) => line.includes("the renewed certificates are unusable")));
  const endsAtMs = performance.now() + 3 * ageMs;
  while (performance.now() < endsAtMs) expect(await codeOf(call(connection))).toBe("ok");
});

test("serves no call on a connection whose handshake ends after the server has started to stop", async () => {
  const { server } = await serve();
  const { caPath, certPath, keyPath } = await filesOf("gateway");
  const [ca, cert, key] = await Promise.all([caPath, certPath, keyPath].map((path) => readFile(path)));
  const socket = connectTcp(server.port, "127.0.0.1");
  await once(socket, "connect");
  const closed = server.close();
  const secure = { ca, cert, key, servername: "localhost", ALPNProtocols: ["h2"] };
  const late = tlsConnect({ socket, ...secure } as ConnectionOptions);
  late.on("error", () => {});
  late.resume();
  await once(late, "close", { signal: AbortSignal.timeout(60_000) });
  await closed;
});

test("waits for a call in progress before it closes", async () => {
  let hasEnded = false;
  const begun = Promise.withResolvers<void>();
  const { server } = await serve(undefined, undefined, async () => {
    begun.resolve();
    await delay(1_000);
    hasEnded = true;
    return { used: 7n };
  });
  const answer = call(connect(server, await filesOf("gateway")));
  await begun.promise;
  await server.close();
  expect(hasEnded).toBe(true);
  expect((await answer).used).toBe(7n);
});
