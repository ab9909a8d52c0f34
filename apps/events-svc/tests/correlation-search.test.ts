import { randomUUID } from "node:crypto";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import type { StoredDocument } from "@platform/kit/store/documents";
import { RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { callFor, operatorCall } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

let bed: SubscriptionBed;
let operator: GrpcConnection;
let driver: MongoClient;
beforeAll(async () => {
  bed = await startSubscriptionBed();
  bed.target.answerWith((_, response) => void response.end("ok"));
  operator = connectGrpc({
    address: `127.0.0.1:${bed.server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${bed.env.OPERATOR_TOKEN}` },
  });
  driver = await MongoClient.connect(bed.mongo.uri);
});
afterAll(async () => {
  await driver.close();
  operator.close();
  await bed.close();
});

const event = { type: "order.placed", schemaVersion: 1, dataJson: "{}" };
const fact = { actorId: "a", action: "order.refund", resourceType: "order", resourceId: "1", outcome: "succeeded" };
const find = async (text: string, clientId: string) =>
  (
    await operator
      .service(RecordSearchAdminService)
      .findRecords({ text, projectClientIds: [newId(), clientId] }, operatorCall())
  ).records;
const found = async (text: string, clientId: string) =>
  (await find(text, clientId)).map(({ kind, id, matched }) => `${kind} ${id} ${matched}`).sort();
/** Creates a UUIDv7 for a given time. */
function idAt(ms: number, index: number): string {
  const hex = ms.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(index).padStart(12, "0")}`;
}
/** Options of a client's call within a request that has this correlation id. */
const callIn = (correlationId: string, clientId: string, key?: string) => {
  const call = callFor(clientId, defined({ key }));
  return { ...call, context: { ...call.context, correlationId } };
};

it.each([
  ["a UUIDv7 of the platform", () => newId()],
  ["any UUID that a caller sends", () => randomUUID()],
])(
  "finds by %s the event that a request published with its calls, its audit, and an operator's run",
  async (_what, makeId) => {
    const clientId = await bed.identity.createClient();
    const correlationId = makeId();
    const { operationId } = await bed.subscribe(clientId, { types: ["order.*"] });
    const published = await bed.server.events.publishDomainEvent(event, callIn(correlationId, clientId));
    const audit = await bed.server.audits.createProjectAudit(fact, callIn(correlationId, clientId));
    const invoking = operatorCall();
    const { invocationId } = await bed.server.scheduleAdmin.invokeScheduledOperation({ operationId }, invoking);
    await bed.server.events.publishDomainEvent(event, callFor(clientId));
    await bed.arrived(clientId, 3);
    const run = (await bed.runsOf(operationId)).length;
    expect(run).toBe(3);
    const records = await find(correlationId, clientId);
    expect(records.map(({ kind }) => kind).sort()).toEqual(["domain_event", "project_audit", "scheduled_run"]);
    expect(await found(correlationId, clientId)).toContain(`domain_event ${published.event?.id} correlation_id`);
    expect(await found(correlationId, clientId)).toContain(`project_audit ${audit.id} correlation_id`);
    expect(records.find(({ kind }) => kind === "scheduled_run")?.parentId).toBe(operationId);
    expect(await found(invoking.context.correlationId, clientId)).toEqual([
      `scheduled_run ${invocationId} correlation_id`,
    ]);
    expect(await found(correlationId, newId())).toEqual([]);
  },
);

it("keeps the correlation id of the first of two identical requests, and does not reveal it in events or calls", async () => {
  const clientId = await bed.identity.createClient();
  const [first, second] = [newId(), newId()];
  await bed.subscribe(clientId);
  const key = newId();
  const { event: shown } = await bed.server.events.publishDomainEvent(event, callIn(first, clientId, key));
  await bed.server.events.publishDomainEvent(event, callIn(second, clientId, key));
  await bed.server.audits.createProjectAudit(fact, callIn(first, clientId, key));
  await bed.server.audits.createProjectAudit(fact, callIn(second, clientId, key));
  await bed.arrived(clientId, 1);
  expect((await found(first, clientId)).length).toBeGreaterThanOrEqual(2);
  expect(await found(second, clientId)).toEqual([]);
  expect(JSON.stringify(shown, (_name, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
    first,
  );
  const [call] = bed.target.arrivalsAt(`/${clientId}`);
  expect(`${call?.body} ${JSON.stringify(call?.headers)}`).not.toContain(first);
});

it("verifies chains independently of correlation ids, and removes the id when a record is pruned", async () => {
  const clientId = await bed.identity.createClient();
  const correlationId = newId();
  await bed.server.audits.createProjectAudit(fact, callIn(correlationId, clientId));
  const proven = () => bed.server.auditAdmin.verifyProjectAudits({ projectClientId: clientId }, operatorCall());
  expect(await proven()).toMatchObject({ valid: true, length: 1n });
  const audits = driver.db(bed.mongo.database).collection("project_audits");
  await audits.updateOne({ project_client_id: clientId }, { $set: { correlation_id: newId() } });
  expect(await proven()).toMatchObject({ valid: true });
  const {
    audits: [last],
  } = await bed.server.auditAdmin.listProjectAudits({ projectClientId: clientId }, operatorCall());
  const marked = { projectClientId: clientId, throughSeq: last?.seq ?? 0n, hash: last?.hash ?? "" };
  await bed.server.pruneAdmin.markProjectAuditsExported(marked, operatorCall());
  const until = { seconds: BigInt(Math.floor(Date.now() / 1_000) + 3_600), nanos: 0 };
  await bed.server.pruneAdmin.pruneProjectAudits({ projectClientId: clientId, until }, operatorCall());
  expect(await audits.findOne({ project_client_id: clientId })).not.toHaveProperty("correlation_id");
  expect(await proven()).toMatchObject({ valid: true });
});

it("reads only the events from the day of a correlation id, however many the log holds", async () => {
  const clientId = newId();
  const weekAgoMs = Date.now() - 7 * 86_400_000;
  await driver
    .db(bed.mongo.database)
    .collection<StoredDocument>("domain_events")
    .insertMany(
      Array.from({ length: 3_000 }, (_, index) => ({
        _id: idAt(weekAgoMs, index),
        project_client_id: clientId,
        type: "order.placed",
        position: index + 1,
        idempotency_key: newId(),
        correlation_id: newId(),
      })),
    );
  const correlationId = newId();
  const { event: made } = await bed.server.events.publishDomainEvent(event, callIn(correlationId, clientId));
  const examined = await bed.mongo.examined("domain_events", async () => {
    expect(await found(correlationId, clientId)).toEqual([`domain_event ${made?.id} correlation_id`]);
  });
  expect(Math.max(...examined)).toBeLessThan(100);
});

it("accepts a search that reaches back 31 days, and refuses one that reaches back further", async () => {
  const clientId = await bed.identity.createClient();
  const search = (since: Date) =>
    operator
      .service(RecordSearchAdminService)
      .findRecords(
        { text: randomUUID(), projectClientIds: [clientId], since: timestampFromDate(since) },
        operatorCall(),
      );
  const refused = { code: "contract_violation", details: { violations: [{ path: "/since" }] } };
  const edgeMs = bed.now().getTime() - 31 * 86_400_000;
  await expect(search(new Date(0))).rejects.toMatchObject(refused);
  await expect(search(new Date(edgeMs - 1))).rejects.toMatchObject(refused);
  expect((await search(new Date(edgeMs))).records).toEqual([]);
});
