import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { collectionOf } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { genesisHash, hashAudit } from "../src/domain/project-audit.ts";
import { createEventsEraser } from "../src/store/erase-events.ts";
import { eventsModels } from "../src/store/models.ts";
import { callFor, operatorCall, startTestServer } from "./fixture.ts";

let mongo: TestMongo;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let models: ReturnType<typeof eventsModels>;
let server: Awaited<ReturnType<typeof startTestServer>>;
const given: string[] = [];
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  models = eventsModels(connection);
  await buildIndexes(connection);
  server = await startTestServer(mongo);
});
afterAll(async () => {
  await server.close();
  await connection.close();
  await mongo.close();
});

const { signal } = new AbortController();
const eraser = () => createEventsEraser(models, async (_clientId, amount, id) => given.push(`${id} ${amount}`));
const append = async (clientId: string, actorId: string, resourceId: string, key = newId()) =>
  server.audits.createProjectAudit(
    { actorId, action: "order.placed", resourceType: "order", resourceId, outcome: "succeeded" },
    callFor(clientId, { key }),
  );
const list = async (projectClientId: string) =>
  (await server.auditAdmin.listProjectAudits({ projectClientId }, operatorCall())).audits;
const verify = async (projectClientId: string, keptHead?: string) => {
  const request = { projectClientId, ...defined({ keptHead }) };
  const { valid, length, reason } = await server.auditAdmin.verifyProjectAudits(request, operatorCall());
  return valid ? { valid, length: Number(length) } : { valid, reason };
};
const records = () => collectionOf(models.audit.audits);

describe("the audits of an erased person", () => {
  test("removes an erased person from the audits of every client, and keeps every chain valid against earlier heads", async () => {
    const [one, other] = [newId(), newId()];
    const person = {
      accountId: newId(),
      emails: ["ann@people.example"],
      legacySubjects: [{ clientId: one, subject: "legacy-7" }],
    };
    await append(one, "legacy-7", "order-1");
    await append(one, "user:1", "ann@people.example");
    await append(one, "user:1", "order-2");
    await append(other, person.accountId, "order-3");
    // At another client, the same legacy subject is a different person.
    await append(other, "legacy-7", "order-4");
    const heads = (await list(one)).map(({ hash }) => hash);
    expect(await eraser().erasePerson(person, signal)).toBe(3);
    expect(await eraser().erasePerson(person, signal)).toBe(0);
    expect((await list(one)).map(({ actorId, resourceId }) => [actorId, resourceId])).toEqual([
      ["", "order-1"],
      ["user:1", ""],
      ["user:1", "order-2"],
    ]);
    expect((await list(other)).map(({ actorId }) => actorId)).toEqual(["", "legacy-7"]);
    for (const head of heads) expect(await verify(one, head)).toEqual({ valid: true, length: 3 });
    expect(await verify(other)).toEqual({ valid: true, length: 2 });
  });

  test("removes the address after a prefix and in upper or lower case, and no other person's address", async () => {
    const clientId = newId();
    const kept = [
      "user:joann@people.example",
      "ann@people.example.org",
      "user:annXpeople.example",
      "b/ann@people.example",
      "ann",
    ];
    const named = [
      "user:ann@people.example",
      "Ann@People.example",
      "urn:user:ann@people.example",
      "mailto:ann@people.example",
    ];
    for (const actor of [...named, ...kept]) await append(clientId, actor, "order-1");
    const person = { accountId: null, emails: ["ann@people.example"], legacySubjects: [] };
    expect(await eraser().erasePerson(person, signal)).toBe(4);
    expect((await list(clientId)).map(({ actorId }) => actorId)).toEqual(["", "", "", "", ...kept]);
    expect(await verify(clientId)).toEqual({ valid: true, length: 9 });
  });

  test("keeps no hash of a request that named an erased person (dictionary attack), and keeps its key used", async () => {
    const [clientId, key] = [newId(), newId()];
    await append(clientId, "user:cleo@people.example", "order-1", key);
    const person = { accountId: null, emails: ["cleo@people.example"], legacySubjects: [] };
    expect(await eraser().erasePerson(person, signal)).toBe(1);
    const record = await records().findOne({ project_client_id: clientId });
    expect(record).toMatchObject({ idempotency_fingerprint: "erased" });
    await expect(append(clientId, "user:cleo@people.example", "order-1", key)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  test("reports any other change of an erased record", async () => {
    const clientId = newId();
    await append(clientId, "legacy-8", "order-1");
    await append(clientId, "legacy-8", "order-2");
    const person = { accountId: null, emails: [], legacySubjects: [{ clientId, subject: "legacy-8" }] };
    await eraser().erasePerson(person, signal);
    const first = { project_client_id: clientId, seq: 1 };
    await records().updateOne(first, { $set: { actor_id: "somebody-else" } });
    expect(await verify(clientId)).toMatchObject({ valid: false, reason: "record_altered" });
    await records().updateOne(first, { $set: { actor_id: "", outcome: "failed" } });
    expect(await verify(clientId)).toMatchObject({ valid: false, reason: "record_altered" });
    await records().updateOne(first, { $set: { outcome: "succeeded", resource_id: "order-9" } });
    expect(await verify(clientId)).toMatchObject({ valid: false, reason: "record_altered" });
  });

  test("verifies a chain whose first records were stored before records could be erased", async () => {
    const clientId = newId();
    const fact = { actor_id: "legacy-9", action: "a.b", resource_type: "r", resource_id: "1", outcome: "succeeded" };
    const id = newId();
    const recorded_at = new Date();
    const record = { project_client_id: clientId, seq: 1, ...fact, recorded_at, previous_hash: genesisHash };
    const hash = hashAudit({ id, ...record });
    const claim = { idempotency_key: "k", idempotency_fingerprint: "f".repeat(64) };
    await records().insertOne({ _id: id, ...record, hash, ...claim });
    await collectionOf(models.audit.heads).insertOne({ _id: clientId, seq: 1, hash });
    await append(clientId, "legacy-9", "2");
    expect(await verify(clientId)).toEqual({ valid: true, length: 2 });
    await eraser().erasePerson(
      { accountId: null, emails: [], legacySubjects: [{ clientId, subject: "legacy-9" }] },
      signal,
    );
    expect((await list(clientId)).map(({ actorId }) => actorId)).toEqual(["", ""]);
    expect(await verify(clientId, hash)).toEqual({ valid: true, length: 2 });
  });
});

describe("the records of an erased Project Client", () => {
  test("removes the contents of an erased client's records, and keeps the chain valid and keys used", async () => {
    const [clientId, other] = [newId(), newId()];
    const first = await append(clientId, "user:1", "order-1", "once");
    await append(other, "user:1", "order-1");
    await server.schedules.registerScheduledOperation(
      { name: "n", url: "http://127.0.0.1:9/x", secret: "s".repeat(32), maxAttempts: 3 },
      callFor(clientId),
    );
    expect(await eraser().eraseClient(clientId, signal)).toBe(2);
    expect(await eraser().eraseClient(clientId, signal)).toBe(0);
    expect(await list(clientId)).toEqual([]);
    expect(await verify(clientId)).toEqual({ valid: true, length: 1 });
    expect(given).toContain("audit-prune:0-1 1");
    expect((await append(clientId, "user:1", "order-1", "once")).id).toBe(first.id);
    expect(await list(other)).toHaveLength(1);
    expect(await models.schedule.operations.countDocuments({ project_client_id: clientId })).toBe(0);
  });
});
