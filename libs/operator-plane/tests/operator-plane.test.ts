import { randomBytes } from "node:crypto";
import { createMetrics, silentLogger } from "@platform/kit/process/telemetry";
import { connectGrpc, type GrpcConnection, type RoleName } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import { type GrpcServer, type Implementation, implementForOperators, serveGrpc } from "@platform/kit/rpc/server";
import { recognizeStoreFailure } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AssertionSigner, createAssertionSigner } from "../src/operators/assertions.ts";
import { startOperatorRelay } from "../src/operators/relay.ts";
import { startKilledOperator } from "./killed-operator.ts";
import { createTestPlane } from "./operator-fixture.ts";

type Files = Implementation<typeof FilesAdminService>;

const token = "operator-token-of-this-test-0123456789";
const preset = { name: "p", format: "webp", maxWidth: 1, maxHeight: 1, quality: 1 };
let mongo: TestMongo;
let connection: MongoConnection;
let signer: AssertionSigner;
let plane: ReturnType<typeof createTestPlane>;
let server: GrpcServer;
let create: Files["createImagePreset"];
const connections: GrpcConnection[] = [];
let killed: Awaited<ReturnType<typeof startKilledOperator>> | null = null;

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  signer = await createAssertionSigner({ current: randomBytes(32), previous: [] });
  plane = createTestPlane(connection, token, async () => signer.keys);
  await buildIndexes(connection);
  server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    recognizeFailure: recognizeStoreFailure,
    services: [
      implementForOperators(FilesAdminService, {
        createImagePreset: (request, call) => create(request, call),
        listImagePresets: async () => ({}),
        getFileObject: async () => ({}),
      }),
    ],
    operators: plane,
    logger: silentLogger(),
    metrics: createMetrics("test", { processMetrics: false }),
  });
});
beforeEach(async () => {
  create = async () => ({ imagePreset: { id: "preset-1" } });
  await connection.collection("operator_actions").deleteMany({});
});
afterEach(async () => {
  await killed?.kill();
  killed = null;
  for (const one of connections.splice(0)) one.close();
});
afterAll(async () => {
  await server.close();
  await connection.close();
  await mongo.close();
});

const options = () => ({
  context: { correlationId: "c-1", operation: "test", projectClient: null, idempotency: null },
  deadlineMs: Date.now() + 20_000,
});

function filesAs(metadata: Record<string, string>) {
  const opened = connectGrpc({ address: `127.0.0.1:${server.port}`, tls: null, metadata });
  connections.push(opened);
  return opened.service(FilesAdminService);
}

async function filesOf(role: RoleName, reason: string | null = null) {
  const claims = {
    subject: `${role}-1`,
    name: role,
    roles: [role],
    sessionId: "s1",
    signedInAt: new Date(),
    reason,
    requestId: null,
  };
  const { assertion } = await signer.sign(claims, new Date());
  return filesAs({ authorization: `Bearer ${assertion}` });
}

const actions = () =>
  plane.store
    .list({ limit: 200, cursor: "", who: "", rpc: "", clientId: "", correlationId: "", since: null })
    .then(({ actions: all }) => all);

test("writes the record before the action takes effect, and settles it afterwards", async () => {
  const during: string[] = [];
  create = async () => {
    during.push(...(await actions()).map(({ outcome }) => outcome));
    return { imagePreset: { id: "preset-1" } };
  };
  await (await filesOf("operator", "for the shop")).createImagePreset(preset, options());
  expect(during).toEqual(["started"]);
  expect(await actions()).toEqual([
    {
      id: expect.any(String),
      at: expect.any(Date),
      who: "operator-1",
      name: "operator",
      roles: ["operator"],
      rpc: "projectintegration.files.v1.FilesAdminService/CreateImagePreset",
      client_id: null,
      resource: "preset-1",
      reason: "for the shop",
      correlation_id: "c-1",
      outcome: "succeeded",
      error: null,
      request_json: JSON.stringify({ name: "p", format: "webp", max_width: 1, max_height: 1, quality: 1 }),
      via: null,
      asked_by: null,
    },
  ]);
});

test("records a failed call with the code of its error", async () => {
  create = async () => {
    throw new ServiceError("contract_violation", "no");
  };
  await expect((await filesOf("operator")).createImagePreset(preset, options())).rejects.toMatchObject({
    code: "contract_violation",
  });
  create = async () => {
    throw new Error("a defect");
  };
  await expect((await filesOf("operator")).createImagePreset(preset, options())).rejects.toMatchObject({
    code: "internal_error",
  });
  expect((await actions()).map(({ outcome, error }) => [outcome, error])).toEqual([
    ["failed", "internal_error"],
    ["failed", "contract_violation"],
  ]);
});

test("changes nothing if the record cannot be written", async () => {
  let ran = false;
  create = async () => {
    ran = true;
    return {};
  };
  const files = await filesOf("operator");
  mongo.fail({ command: "insert", times: 1, code: 8000, message: "the store failed" });
  await expect(files.createImagePreset(preset, options())).rejects.toMatchObject({ code: "dependency_unavailable" });
  expect(ran).toBe(false);
});

test("records neither calls that only read nor rejected calls", async () => {
  await (await filesOf("viewer")).listImagePresets({}, options());
  await expect((await filesOf("viewer")).createImagePreset(preset, options())).rejects.toMatchObject({
    code: "permission_denied",
    message: expect.stringContaining("operator, root"),
  });
  await expect(filesAs({}).listImagePresets({}, options())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(
    filesAs({ authorization: "Bearer wrong-token" }).createImagePreset(preset, options()),
  ).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await actions()).toEqual([]);
});

test("admits the break-glass token to every RPC, counts its calls, and records them with their reason", async () => {
  const files = filesAs({
    authorization: `Bearer ${token}`,
    "x-operator-reason": encodeURIComponent("IdP down, ticket ü"),
  });
  await files.createImagePreset(preset, options());
  expect(await actions()).toMatchObject([{ who: "break-glass", roles: ["root"], reason: "IdP down, ticket ü" }]);
  expect(await plane.registry.getSingleMetricAsString("platform_operator_break_glass_total")).toMatch(
    /rpc="[^"]*CreateImagePreset"[^\n]* 1/,
  );
});

test("marks the outcome of an action as unknown if its process was killed", async () => {
  killed = await startKilledOperator(mongo, token);
  const call = connectGrpc({
    address: `127.0.0.1:${killed.port}`,
    tls: null,
    metadata: { authorization: `Bearer ${token}` },
  });
  connections.push(call);
  const lost = call
    .service(FilesAdminService)
    .createImagePreset(preset, options())
    .catch((error: unknown) => error);
  await eventually(async () => (await actions()).length === 1);
  await killed.kill();
  expect(await lost).toBeInstanceOf(ServiceError);
  expect(await actions()).toMatchObject([{ outcome: "started" }]);
  // The call had 20 s until its deadline, and the grace period after it is a minute.
  const relay = startOperatorRelay({
    store: plane.store,
    append: null,
    logger: silentLogger(),
    clock: () => new Date(Date.now() + 100_000),
    registry: createMetrics("test", { processMetrics: false }).registry,
  });
  await eventually(async () => (await actions())[0]?.outcome === "failed");
  await relay.stop();
  expect(await actions()).toMatchObject([{ outcome: "failed", error: "outcome_unknown" }]);
});

test("lists actions newest first, in pages without gaps, and by person, RPC, request and time", async () => {
  const files = await filesOf("operator");
  for (let one = 0; one < 5; one += 1) await files.createImagePreset({ ...preset, name: `p${one}` }, options());
  await (await filesOf("root")).createImagePreset(preset, options());
  const filter = { limit: 2, cursor: "", who: "", rpc: "", clientId: "", correlationId: "", since: null };
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const page = await plane.store.list({ ...filter, cursor });
    seen.push(...page.actions.map(({ id }) => id));
    if (page.nextCursor === "") break;
    cursor = page.nextCursor;
  }
  expect(seen).toHaveLength(6);
  expect(new Set(seen).size).toBe(6);
  const count = async (some: object) => (await plane.store.list({ ...filter, limit: 50, ...some })).actions.length;
  expect(await count({ who: "root-1" })).toBe(1);
  expect(await count({ rpc: "CreateImagePreset" })).toBe(6);
  expect(await count({ rpc: "projectintegration.files.v1.FilesAdminService/CreateImagePreset" })).toBe(6);
  expect(await count({ rpc: "SetQuota" })).toBe(0);
  expect(await count({ correlationId: "c-1" })).toBe(6);
  expect(await count({ correlationId: "c-2" })).toBe(0);
  expect(await count({ since: new Date(Date.now() - 60_000) })).toBe(6);
  expect(await count({ since: new Date(Date.now() + 60_000) })).toBe(0);
});
