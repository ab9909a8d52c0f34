import { newId } from "@platform/kit/process/secrets";
import { connectGrpc } from "@platform/kit/rpc/client";
import { OperatorChainService } from "@platform/proto/events/v1/operator_chain";
import { OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { callFor, operatorCall, startTestMongo, startTestServer } from "./fixture.ts";

const chainId = "operator-actions";
let mongo: Awaited<ReturnType<typeof startTestMongo>>;
let client: MongoClient;
let port: number;
let server: Awaited<ReturnType<typeof startTestServer>>;

const start = () => startTestServer(mongo, { GRPC_PORT: `${port}`, EVENTS_GRPC: `127.0.0.1:${port}` });
const stored = () => client.db(mongo.database).collection<{ _id: string }>("operator_actions");
const connect = (metadata = {}) => connectGrpc({ address: `127.0.0.1:${port}`, tls: null, metadata });
const chain = async () =>
  (await server.auditAdmin.listProjectAudits({ projectClientId: chainId }, operatorCall())).audits;

beforeAll(async () => {
  mongo = await startTestMongo();
  client = await MongoClient.connect(mongo.uri);
  port = await freePort();
  server = await start();
});
beforeEach(async () => {
  await Promise.all(
    ["operator_actions", "project_audits", "project_audit_heads"].map((name) =>
      client.db(mongo.database).collection(name).deleteMany({}),
    ),
  );
  await server.close();
  server = await start();
});
afterAll(async () => {
  await server.close();
  await client.close();
  await mongo.close();
});

async function newOperation(): Promise<string> {
  const { id } = await server.schedules.registerScheduledOperation(
    { name: `o-${newId()}`, url: "https://example.com/hook", maxAttempts: 3, secret: "s".repeat(40) },
    callFor(newId()),
  );
  return id;
}

it("appends each finished action to the chain, with its person, RPC, outcome and the digest of its record", async () => {
  const operationId = await newOperation();
  await server.scheduleAdmin.disableScheduledOperation({ operationId }, operatorCall());
  await expect(
    server.scheduleAdmin.disableScheduledOperation({ operationId: newId() }, operatorCall()),
  ).rejects.toMatchObject({ code: expect.any(String) });
  const records = await eventually(async () => ((await chain()).length === 2 ? chain() : null));
  const connection = connect({ authorization: `Bearer ${server.config.operatorToken}` });
  const { actions } = await connection.service(OperatorActionAdminService).listOperatorActions({}, operatorCall());
  connection.close();
  expect(records.map(({ actorId, outcome }) => [actorId, outcome])).toEqual([
    ["break-glass", "succeeded"],
    ["break-glass", "failed"],
  ]);
  expect(records.map(({ resourceId }) => resourceId).reverse()).toEqual(
    actions.map(({ id, digest }) => `${id} ${digest}`),
  );
  expect(actions.at(-1)).toMatchObject({ resource: operationId });
  const proof = await server.auditAdmin.verifyProjectAudits({ projectClientId: chainId }, operatorCall());
  expect(proof).toMatchObject({ valid: true, length: 2n });
});

const entry = () => ({
  actionId: newId(),
  who: "ann",
  rpc: "projectintegration.files.v1.FilesAdminService/CreateImagePreset",
  outcome: "succeeded",
  digest: "d".repeat(64),
});
const withToken = () => connect({ authorization: `Bearer ${server.config.operatorToken}` });

it.each([
  ["empty", { actionId: "", who: "", rpc: "", outcome: "", digest: "" }, "/action_id"],
  ["with an id that contains a space and a digest", { actionId: `${newId()} ${"e".repeat(64)}` }, "/action_id"],
  ["with a name of 1 MB", { who: "a".repeat(1_000_000) }, "/who"],
  ["with a name that contains a control character", { who: "ann\u001b[2J" }, "/who"],
  ["with an RPC of 1 MB", { rpc: `a/${"B".repeat(1_000_000)}` }, "/rpc"],
  ["about an action that has not finished", { outcome: "started" }, "/outcome"],
  ["with an invalid digest", { digest: "d".repeat(63) }, "/digest"],
])("refuses an entry %s, because the chain would keep it permanently", async (_, fields, path) => {
  const connection = withToken();
  const append = connection
    .service(OperatorChainService)
    .appendOperatorAction({ ...entry(), ...fields }, operatorCall());
  await expect(append).rejects.toMatchObject({ code: "contract_violation", details: { violations: [{ path }] } });
  connection.close();
  expect(await chain()).toHaveLength(0);
});

it("refuses an entry of a process on the same machine without the platform's token, or with a wrong one", async () => {
  for (const connection of [connect(), connect({ authorization: `Bearer ${"x".repeat(45)}` })]) {
    const append = connection.service(OperatorChainService).appendOperatorAction(entry(), operatorCall());
    await expect(append).rejects.toMatchObject({ code: "unauthenticated" });
    connection.close();
  }
  expect(await chain()).toHaveLength(0);
});

it("appends an action to the chain once, however often it is relayed", async () => {
  const connection = withToken();
  const request = entry();
  const service = connection.service(OperatorChainService);
  await Promise.all([1, 2, 3].map(() => service.appendOperatorAction(request, operatorCall())));
  const other = service.appendOperatorAction({ ...request, digest: "e".repeat(64) }, operatorCall());
  await expect(other).rejects.toMatchObject({ code: "idempotency_key_reused" });
  connection.close();
  expect(await chain()).toHaveLength(1);
});

it("appends actions that a stopped process had not appended", async () => {
  await server.close();
  const action = {
    _id: newId(),
    at: new Date(),
    who: "ann",
    name: "Ann",
    roles: ["operator"],
    rpc: "projectintegration.events.v1.ScheduledOperationAdminService/InvokeScheduledOperation",
    method: "InvokeScheduledOperation",
    client_id: null,
    resource: null,
    reason: null,
    correlation_id: "c",
    outcome: "started",
    error: null,
    request_json: "{}",
    settle_by: new Date(Date.now() - 1_000),
  };
  await stored().insertOne(action);
  server = await start();
  const [record] = await eventually(async () => ((await chain()).length === 1 ? chain() : null));
  expect(record).toMatchObject({ actorId: "ann", outcome: "failed" });
  expect(await stored().findOne({ _id: action._id })).toMatchObject({ error: "outcome_unknown" });
});
