import { once } from "node:events";
import { createServer as createHttp2Server, type ServerHttp2Session } from "node:http2";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectGrpc } from "@platform/kit/rpc/client";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { operatorToken, serverConfigOf } from "@platform/test-kit/server-config";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DisabledClients } from "../src/clients/disabled-clients.ts";
import { startPlatformService } from "../src/service/start-platform-service.ts";

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo.close());

const common = { name: "x-svc", overrides: { logger: silentLogger() } };
const context = { correlationId: "c", operation: "o", projectClient: null, idempotency: null };

test("stops watching Project Clients if the service stops before the first reading", async () => {
  const sessions = new Set<ServerHttp2Session>();
  // This server accepts calls and never responds.
  const mute = createHttp2Server().on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  await once(mute.listen(0, "127.0.0.1"), "listening");
  const { port } = mute.address() as { port: number };
  let watching: Promise<DisabledClients> | undefined;
  const service = await startPlatformService({
    ...common,
    config: serverConfigOf(mongo, { IDENTITY_GRPC: `127.0.0.1:${port}` }),
    openStores: () => {},
    wire: ({ watchDisabledClients }) => {
      watching = watchDisabledClients();
      watching.catch(() => {});
    },
  });
  await eventually(() => sessions.size > 0, { what: "the watch connects" });
  await service.close();
  expect((await watching)?.ids()).toEqual([]);
  await eventually(() => sessions.size === 0, { what: "its connection is closed" });
  mute.close();
});

test("serves the record of operator actions only to callers with the operator token", async () => {
  const service = await startPlatformService({
    ...common,
    config: serverConfigOf(mongo),
    openStores: () => undefined,
    wire: () => ({ grpc: [] }),
  });
  const address = `127.0.0.1:${service.grpcPort}`;
  const list = async (token: string): Promise<unknown[]> => {
    const connection = connectGrpc({ address, tls: null, metadata: { authorization: `Bearer ${token}` } });
    try {
      await connection.ready(60_000);
      const { actions } = await connection.service(OperatorActionAdminService).listOperatorActions({}, { context });
      return actions;
    } finally {
      connection.close();
    }
  };
  expect(await list(operatorToken)).toEqual([]);
  await expect(list("y".repeat(32))).rejects.toMatchObject({ code: "unauthenticated" });
  await service.close();
});
