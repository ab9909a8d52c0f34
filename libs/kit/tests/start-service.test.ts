import { once } from "node:events";
import { connect, createServer } from "node:net";
import { startEmbeddedMongo } from "@platform/embedded-mongo";
import { DomainEventService } from "@platform/proto/events/v1/events_service";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { serverConfigOf } from "@platform/test-kit/server-config";
import { type Connection, mongo as driver } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLogger } from "../src/process/logger.ts";
import { connectGrpc } from "../src/rpc/connect.ts";
import { implement } from "../src/rpc/served-service.ts";
import { startService } from "../src/service/start-service.ts";

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo.close());

const common = { name: "x-svc", overrides: { logger: silentLogger() } };
const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };

/** Returns whether a process accepts connections at the port. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

const readiness = async (port: number): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;

test("stops readiness, jobs, gRPC, HTTP, the service's own resources, the database and probes, in this order", async () => {
  const seen: [step: string, still: unknown][] = [];
  const jobsStopped = Promise.withResolvers<void>();
  let database: Connection | undefined;
  const look = async (step: string): Promise<void> => {
    const { grpcPort, httpPort, probePort } = service;
    const [grpc, http, probes] = await Promise.all([grpcPort, httpPort, probePort].map(accepts));
    const isReady = probes === true && (await readiness(probePort)) === 200;
    seen.push([step, { isReady, grpc, http, mongo: database?.readyState === 1, probes }]);
  };
  const service = await startService({
    ...common,
    config: serverConfigOf(mongo),
    openStores: (connection) => {
      database = connection;
    },
    wire: ({ job, onClose }) => {
      job({ stop: () => look("jobs").then(jobsStopped.resolve) });
      onClose(() => look("opened"));
      return {
        grpc: [
          implement(DomainEventService, {
            publishDomainEvent: async () => {
              await jobsStopped.promise;
              await eventually(async () => !(await accepts(service.grpcPort)));
              await look("gRPC");
              return {};
            },
          }),
        ],
        http: {
          listener: async (_request, response) => {
            await eventually(async () => !(await accepts(service.httpPort)));
            await look("HTTP");
            response.end();
          },
        },
      };
    },
  });
  await look("serving");
  const connection = connectGrpc({ address: `127.0.0.1:${service.grpcPort}`, tls: null });
  const { publishDomainEvent } = connection.service(DomainEventService);
  await connection.ready(60_000);
  const call = publishDomainEvent({ type: "t", schemaVersion: 1, dataJson: "{}" }, { context });
  const page = fetch(`http://127.0.0.1:${service.httpPort}/`);
  await Promise.all([call, page, service.close()]);
  await look("closed");
  connection.close();
  const all = { isReady: false, grpc: true, http: true, mongo: true, probes: true };
  expect(seen).toEqual([
    ["serving", { ...all, isReady: true }],
    ["jobs", all],
    ["gRPC", { ...all, grpc: false }],
    ["HTTP", { ...all, grpc: false, http: false }],
    ["opened", { ...all, grpc: false, http: false }],
    ["closed", { isReady: false, grpc: false, http: false, mongo: false, probes: false }],
  ]);
});

test("closes everything that it has opened if the start fails", async () => {
  const rival = createServer().listen(0, "127.0.0.1");
  await once(rival, "listening");
  const { port } = rival.address() as { port: number };
  const closed: string[] = [];
  let database: Connection | undefined;
  const probePort = await freePort();
  const starting = startService({
    ...common,
    config: serverConfigOf(mongo, { GRPC_PORT: `${port}`, PROBE_PORT: `${probePort}` }),
    openStores: (connection) => {
      database = connection;
    },
    wire: ({ job, onClose }) => {
      onClose(() => void closed.push("first"));
      onClose(() => void closed.push("second"));
      job({ stop: async () => void closed.push("job") });
      return { grpc: [] };
    },
  });
  await expect(starting).rejects.toThrow(/EADDRINUSE|address/);
  expect(closed).toEqual(["job", "second", "first"]);
  expect(database?.readyState).toBe(0);
  expect(await accepts(probePort)).toBe(false);
  rival.close();
});

test("shows a lost database in its gRPC health and in the text of its readiness, but stays ready", async () => {
  const engine = await startEmbeddedMongo({ port: 0 });
  const service = await startService({
    ...common,
    config: serverConfigOf(engine),
    openStores: () => undefined,
    wire: () => ({ grpc: [] }),
  });
  const connection = connectGrpc({ address: `127.0.0.1:${service.grpcPort}`, tls: null });
  expect([await readiness(service.probePort), await connection.health(5_000)]).toEqual([200, "ok"]);
  await engine.close();
  await eventually(async () => (await connection.health(5_000)) === "degraded");
  const probe = await fetch(`http://127.0.0.1:${service.probePort}/readyz`);
  expect([probe.status, await probe.text()]).toEqual([200, "ok\nmongodb: unavailable\n"]);
  connection.close();
  await service.close();
});

test("returns dependency_unavailable if the database of an RPC fails, and internal_error for any other failure", async () => {
  const failures = [new driver.MongoNetworkError("connection closed"), new Error("a defect")];
  const service = await startService({
    ...common,
    config: serverConfigOf(mongo),
    openStores: () => undefined,
    wire: () => ({
      grpc: [implement(DomainEventService, { publishDomainEvent: () => Promise.reject(failures.shift()) })],
    }),
  });
  const connection = connectGrpc({ address: `127.0.0.1:${service.grpcPort}`, tls: null });
  const publish = () =>
    connection
      .service(DomainEventService)
      .publishDomainEvent({ type: "t", schemaVersion: 1, dataJson: "{}" }, { context });
  await connection.ready(60_000);
  await expect(publish()).rejects.toMatchObject({ code: "dependency_unavailable" });
  await expect(publish()).rejects.toMatchObject({ code: "internal_error" });
  connection.close();
  await service.close();
});
