import { randomBytes } from "node:crypto";
import { createLogger, createMetrics } from "@platform/kit/process/telemetry";
import { connectGrpc, type GrpcConnection, type RoleName } from "@platform/kit/rpc/client";
import { type GrpcServer, implementForOperators, serveGrpc } from "@platform/kit/rpc/server";
import { buildIndexes, connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { ProjectAuditAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { MigrationAdminService } from "@platform/proto/identity/v1/migration_admin";
import { CapturedMessageAdminService } from "@platform/proto/notify/v1/captured_message_admin";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AssertionSigner, assertionSeconds, createAssertionSigner } from "../src/operators/assertions.ts";
import { createTestPlane } from "./operator-fixture.ts";

const token = "operator-token-of-this-test-0123456789";
const client = "0197a000-0000-7000-8000-000000000001";
const audit = {
  seq: 1n,
  id: "a",
  actorId: "user:ann",
  action: "order.created",
  resourceType: "order",
  resourceId: "o-1",
  outcome: "success",
};
const event = { id: "e", type: "order.created", dataJson: '{"card":"4111"}' };
const captured = {
  deliveryId: "d",
  projectClientId: client,
  subject: "Hello Ann",
  text: "Dear Ann",
  html: "<p>Dear Ann",
  token: "verification-token",
  unsubscribeUrl: "https://example.com/unsubscribe/ann",
  payloadJson: '{"to":"ann"}',
};
const migration = { id: "m", projectClientId: client, legacySubject: "legacy-ann", addressHint: "a***@example.com" };

let mongo: TestMongo;
let connection: MongoConnection;
let signer: AssertionSigner;
let plane: ReturnType<typeof createTestPlane>;
let server: GrpcServer;
/** Resolves when the RPC with the endless stream has detected the end of its call. */
let hasEnded: Promise<void>;
const lines: string[] = [];
const connections: GrpcConnection[] = [];

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  signer = await createAssertionSigner({ current: randomBytes(32), previous: [] });
  plane = createTestPlane(
    connection,
    token,
    async () => signer.keys,
    () => new Date(),
    {
      transaction_id: { collection: "identity_migration_transactions" },
      delivery_id: { collection: "captured_messages" },
    },
  );
  await buildIndexes(connection);
  server = await serveGrpc({
    host: "127.0.0.1",
    port: 0,
    tls: null,
    services: [
      implementForOperators(ProjectAuditAdminService, {
        listProjectAudits: async () => ({ audits: [audit, { ...audit, seq: 2n, actorId: "" }] }),
        verifyProjectAudits: async () => ({}),
      }),
      implementForOperators(MigrationAdminService, {
        listMigrations: async () => ({ migrations: [migration] }),
        annulMigration: async () => ({ migration }),
      }),
      implementForOperators(CapturedMessageAdminService, {
        listCapturedMessages: async () => ({ messages: [captured] }),
        showCapturedMessage: async () => ({ message: captured }),
      }),
      implementForOperators(DomainEventConsumerService, {
        readEvents: async function* (_request, call) {
          yield { position: 1n, event };
          hasEnded = new Promise((resolve) => call.signal.addEventListener("abort", () => resolve()));
          await hasEnded;
        },
      }),
    ],
    operators: plane,
    logger: createLogger("test", "warn", { write: (line: string) => void lines.push(line) }),
    metrics: createMetrics("test", { processMetrics: false }),
  });
});
beforeEach(async () => {
  lines.length = 0;
  await connection.collection("operator_actions").deleteMany({});
});
afterEach(() => {
  for (const one of connections.splice(0)) one.close();
});
afterAll(async () => {
  await server.close();
  await connection.close();
  await mongo.close();
});

const options = () => ({
  context: { correlationId: "c-1", operation: "test", projectClient: null, idempotency: null },
  deadlineMs: Date.now() + 60_000,
});

function connect(authorization: string): GrpcConnection {
  const opened = connectGrpc({ address: `127.0.0.1:${server.port}`, tls: null, metadata: { authorization } });
  connections.push(opened);
  return opened;
}

/** Connects as an operator with these roles. @param leftSeconds remaining validity of the assertion in seconds */
async function as(roles: readonly RoleName[], leftSeconds = assertionSeconds): Promise<GrpcConnection> {
  const claims = {
    subject: "ann",
    name: "Ann",
    roles,
    sessionId: "s1",
    signedInAt: new Date(),
    reason: null,
    requestId: null,
  };
  const signedAt = new Date(Date.now() - (assertionSeconds - leftSeconds) * 1000);
  return connect(`Bearer ${(await signer.sign(claims, signedAt)).assertion}`);
}

const recorded = async (): Promise<string[]> => {
  const filter = { limit: 200, cursor: "", who: "", rpc: "", clientId: "", correlationId: "", since: null };
  return (await plane.store.list(filter)).actions.map(({ rpc, outcome }) => `${rpc.split("/")[1]} ${outcome}`);
};
const auditsOf = async (from: GrpcConnection, filter: object = {}) =>
  (await from.service(ProjectAuditAdminService).listProjectAudits({ projectClientId: client, ...filter }, options()))
    .audits;
async function firstEvent(from: GrpcConnection) {
  for await (const reply of from.service(DomainEventConsumerService).readEvents({ projectClientId: client }, options()))
    return reply;
  throw new Error("the stream ended");
}

test("masks actors, resources, event data and legacy subjects for a viewer, and records nothing", async () => {
  const viewer = await as(["viewer"]);
  expect(await auditsOf(viewer)).toMatchObject([
    { actorId: "***", resourceId: "***", action: "order.created" },
    { actorId: "", resourceId: "***" },
  ]);
  expect((await firstEvent(viewer)).event).toMatchObject({ id: "e", dataJson: '{"masked":true}' });
  const { migrations } = await viewer
    .service(MigrationAdminService)
    .listMigrations({ projectClientId: client }, options());
  expect(migrations).toMatchObject([{ legacySubject: "***", addressHint: "a***@example.com" }]);
  expect(await recorded()).toEqual([]);
});

test.each<[string, () => Promise<GrpcConnection>]>([
  ["support", () => as(["support"])],
  ["operator", () => as(["operator"])],
  ["security", () => as(["security"])],
  ["a viewer who also supports", () => as(["viewer", "support"])],
  ["break-glass", async () => connect(`Bearer ${token}`)],
])("shows personal data to %s, and records the access", async (_who, from) => {
  const operator = await from();
  expect(await auditsOf(operator)).toMatchObject([{ actorId: "user:ann", resourceId: "o-1" }, {}]);
  const { migrations } = await operator
    .service(MigrationAdminService)
    .listMigrations({ projectClientId: client }, options());
  expect(migrations).toMatchObject([{ legacySubject: "legacy-ann" }]);
  expect((await firstEvent(operator)).event).toMatchObject({ dataJson: '{"card":"4111"}' });
  await hasEnded;
  await expect
    .poll(recorded)
    .toEqual(["ReadEvents succeeded", "ListMigrations succeeded", "ListProjectAudits succeeded"]);
});

test.each([
  ["an address", { email: "ann@example.com" }],
  ["a legacy subject", { legacySubject: "legacy-ann" }],
])("records that a viewer searches for %s, without the text of the search", async (_what, filter) => {
  const viewer = await as(["viewer"]);
  await viewer.service(MigrationAdminService).listMigrations({ projectClientId: client, ...filter }, options());
  expect(await recorded()).toEqual(["ListMigrations succeeded"]);
  const kept = JSON.stringify(await connection.collection("operator_actions").find({}).toArray());
  expect(kept).not.toContain(Object.values(filter)[0]);
});

test("masks the contents of captured messages in a viewer's list", async () => {
  const from = (await as(["viewer"])).service(CapturedMessageAdminService);
  const { messages } = await from.listCapturedMessages({ projectClientId: client }, options());
  const masked = { subject: "***", text: "***", html: "***", token: "***", unsubscribeUrl: "***" };
  expect(messages).toMatchObject([{ deliveryId: "d", ...masked, payloadJson: '{"masked":true}' }]);
});

test("records that support reads a captured message, before its verification token is shown", async () => {
  const from = (await as(["support"])).service(CapturedMessageAdminService);
  expect((await from.showCapturedMessage({ deliveryId: "d" }, options())).message).toMatchObject(captured);
  expect(await recorded()).toEqual(["ShowCapturedMessage succeeded"]);
});

test("records a viewer who searches masked audits for an actor", async () => {
  await auditsOf(await as(["viewer"]), { actorId: "user:ann" });
  expect(await recorded()).toEqual(["ListProjectAudits succeeded"]);
});

test("ends an operator's stream and its RPC when the assertion expires", async () => {
  const viewer = await as(["viewer"], 2);
  const stream = viewer.service(DomainEventConsumerService).readEvents({ projectClientId: client }, options());
  const seen: bigint[] = [];
  const read = async (): Promise<void> => {
    for await (const { position } of stream) seen.push(position);
  };
  await expect(read()).rejects.toMatchObject({ code: "unauthenticated" });
  expect(seen).toEqual([1n]);
  await hasEnded;
});

test("logs and counts a call that was rejected because a role is missing", async () => {
  const viewer = await as(["viewer"]);
  const annul = viewer.service(MigrationAdminService).annulMigration({ transactionId: "m" }, options());
  await expect(annul).rejects.toMatchObject({ code: "permission_denied" });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      msg: "an operator's call was rejected",
      who: "ann",
      code: "permission_denied",
      rpc: expect.stringContaining("AnnulMigration"),
      correlation_id: "c-1",
    }),
  ]);
  expect(await plane.registry.getSingleMetricAsString("platform_operator_refused_total")).toMatch(
    /rpc="[^"]*AnnulMigration",code="permission_denied"[^\n]* 1/,
  );
});
