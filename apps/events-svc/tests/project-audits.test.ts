import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import type { TestMongo } from "@platform/test-kit/mongo";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commitTo, genesisHash, hashAudit, type ProjectAudit } from "../src/domain/project-audit.ts";
import { callFor, connectEventsSvc, operatorCall, startTestMongo, startTestServer } from "./fixture.ts";

type AuditRecord = { _id: string; project_client_id: string; seq: number; action: string; hash: string };
type Head = { _id: string; seq: number; hash: string };

let mongo: TestMongo;
let driver: MongoClient;
let one: Awaited<ReturnType<typeof startTestServer>>;
let two: Awaited<ReturnType<typeof startTestServer>>;
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
  one = await startTestServer(mongo);
  two = await startTestServer(mongo);
});
beforeEach(() => {
  clientId = newId();
});
afterAll(async () => {
  await one.close();
  await two.close();
  await driver.close();
  await mongo.close();
});

const fact = {
  actorId: "user:1",
  action: "invoice.approve",
  resourceType: "invoice",
  resourceId: "inv-1",
  outcome: "succeeded",
};
const records = () => driver.db(mongo.database).collection<AuditRecord>("project_audits");
const heads = () => driver.db(mongo.database).collection<Head>("project_audit_heads");
const append = (count: number, server = one) =>
  Promise.all(Array.from({ length: count }, () => server.audits.createProjectAudit(fact, callFor(clientId))));
const list = async () => (await one.auditAdmin.listProjectAudits({ projectClientId: clientId }, operatorCall())).audits;
const verify = async (keptHead?: string) => {
  const { valid, length, brokenAtSeq, reason } = await one.auditAdmin.verifyProjectAudits(
    { projectClientId: clientId, ...defined({ keptHead }) },
    operatorCall(),
  );
  return valid ? { valid, length: Number(length) } : { valid, at: Number(brokenAtSeq), reason };
};

describe("the chain of Project Audits", () => {
  test("builds one chain without gaps from concurrent appends through two servers", async () => {
    await Promise.all([append(300, one), append(300, two)]);
    const seqs = (await list()).map(({ seq }) => Number(seq));
    expect(seqs).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect(await verify()).toEqual({ valid: true, length: 600 });
  });

  test("keeps the chains of two clients separate", async () => {
    const other = newId();
    await append(2);
    await one.audits.createProjectAudit(fact, callFor(other));
    expect(await verify()).toEqual({ valid: true, length: 2 });
    const { audits } = await one.auditAdmin.listProjectAudits({ projectClientId: other }, operatorCall());
    expect(audits.map(({ seq }) => Number(seq))).toEqual([1]);
  });

  test("lists the records after a given seq", async () => {
    await append(5);
    const { audits } = await one.auditAdmin.listProjectAudits(
      { projectClientId: clientId, afterSeq: 2n, limit: 2 },
      operatorCall(),
    );
    expect(audits.map(({ seq }) => Number(seq))).toEqual([3, 4]);
  });

  test("reports the number of the client's audits as the gauge audit_retention", async () => {
    await append(7);
    const { used } = await one.quotaLevels.getQuotaLevel({ resource: "audit_retention" }, callFor(clientId));
    expect(used).toBe(7n);
  });

  test("refuses to count a gauge quota that another service owns", async () => {
    const counting = one.quotaLevels.getQuotaLevel({ resource: "storage_bytes" }, callFor(clientId));
    await expect(counting).rejects.toMatchObject({ code: "contract_violation" });
  });
});

describe("idempotency of Project Audits", () => {
  test("stores one record for a thousand concurrent repeats through two servers", async () => {
    const claim = { key: "same-key" };
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        (index % 2 === 0 ? one : two).audits.createProjectAudit(fact, callFor(clientId, claim)),
      ),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await verify()).toEqual({ valid: true, length: 1 });
  });

  test("leaves no gap when repeats arrive among new facts", async () => {
    const [first] = await append(1);
    const calls = Array.from({ length: 100 }, (_, index) =>
      one.audits.createProjectAudit(fact, callFor(clientId, { key: `key-${index % 40}` })),
    );
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(40);
    expect(answers.map(({ id }) => id)).not.toContain(first?.id);
    expect(await verify()).toEqual({ valid: true, length: 41 });
  });

  test("refuses a key that another fact has used", async () => {
    await one.audits.createProjectAudit(fact, callFor(clientId, { key: "k", fingerprint: "a".repeat(64) }));
    await expect(
      two.audits.createProjectAudit(fact, callFor(clientId, { key: "k", fingerprint: "b".repeat(64) })),
    ).rejects.toMatchObject({ code: "idempotency_key_reused" });
  });

  test("accepts the same key of another client as another audit", async () => {
    const mine = await one.audits.createProjectAudit(fact, callFor(clientId, { key: "k" }));
    const theirs = await one.audits.createProjectAudit(fact, callFor(newId(), { key: "k" }));
    expect(theirs.id).not.toBe(mine.id);
  });
});

describe("detection of tampering", () => {
  beforeEach(() => append(5));

  test("detects an edited record", async () => {
    await records().updateOne({ project_client_id: clientId, seq: 3 }, { $set: { action: "invoice.reject" } });
    expect(await verify()).toEqual({ valid: false, at: 3, reason: "record_altered" });
  });

  test("detects a removed record", async () => {
    await records().deleteOne({ project_client_id: clientId, seq: 3 });
    expect(await verify()).toEqual({ valid: false, at: 3, reason: "record_missing" });
  });

  test("detects two exchanged records", async () => {
    for (const [from, to] of [
      [2, -1],
      [3, 2],
      [-1, 3],
    ] as const) {
      await records().updateOne({ project_client_id: clientId, seq: from }, { $set: { seq: to } });
    }
    expect(await verify()).toEqual({ valid: false, at: 2, reason: "record_altered" });
  });

  test("detects that the end of a chain was removed", async () => {
    await records().deleteMany({ project_client_id: clientId, seq: { $gt: 3 } });
    expect(await verify()).toEqual({ valid: false, at: 4, reason: "tail_cut" });
  });

  test("detects that all records were cut off", async () => {
    await records().deleteMany({ project_client_id: clientId });
    expect(await verify()).toEqual({ valid: false, at: 1, reason: "tail_cut" });
  });

  test("detects a head that names another record", async () => {
    await heads().updateOne({ _id: clientId }, { $set: { hash: "0".repeat(64) } });
    expect(await verify()).toEqual({ valid: false, at: 5, reason: "head_altered" });
  });
});

describe("a chain that was rewritten completely, including its head", () => {
  /**
   * Acts like an attacker with write access to the whole database: changes a record and recomputes every later hash.
   */
  const rewrite = async (): Promise<void> => {
    const chain = await records().find({ project_client_id: clientId }).sort({ seq: 1 }).toArray();
    let previous = genesisHash;
    for (const { _id, hash: _hash, ...fields } of chain) {
      const named = { ...fields, actor_id: "user:2", previous_hash: previous } as Omit<ProjectAudit, "id" | "hash">;
      const changed = { ...named, commitments: commitTo(named) };
      previous = hashAudit({ ...changed, id: _id });
      await records().updateOne({ _id }, { $set: { ...changed, hash: previous } });
    }
    await heads().updateOne({ _id: clientId }, { $set: { hash: previous } });
  };

  test("accepts a chain that was rewritten with its head, but rejects it when it is compared with a head stored elsewhere", async () => {
    await append(3);
    const keptHead = (await heads().findOne({ _id: clientId }))?.hash ?? "";
    await append(2);
    expect(await verify(keptHead)).toEqual({ valid: true, length: 5 });
    await rewrite();
    expect(await verify()).toEqual({ valid: true, length: 5 });
    expect(await verify(keptHead)).toEqual({ valid: false, at: 6, reason: "kept_head_missing" });
  });

  test("rejects a truncated chain with a rewritten head when it is compared with a head stored elsewhere", async () => {
    await append(3);
    const keptHead = (await heads().findOne({ _id: clientId }))?.hash ?? "";
    await records().deleteMany({ project_client_id: clientId, seq: { $gt: 2 } });
    const last = await records().findOne({ project_client_id: clientId, seq: 2 });
    await heads().updateOne({ _id: clientId }, { $set: { seq: 2, hash: last?.hash ?? "" } });
    expect(await verify()).toEqual({ valid: true, length: 2 });
    expect(await verify(keptHead)).toEqual({ valid: false, at: 3, reason: "kept_head_missing" });
  });

  test("accepts the head of an empty chain as an earlier head of any chain", async () => {
    await append(1);
    expect(await verify(genesisHash)).toEqual({ valid: true, length: 1 });
  });
});

describe("a crash between the record and its head", () => {
  test("does not report a crash before the update of the head as tampering, and advances the head with the next append", async () => {
    await append(3);
    // Creates the state after a crash: the records exist, but the head was not updated.
    const second = await records().findOne({ project_client_id: clientId, seq: 2 });
    await heads().updateOne({ _id: clientId }, { $set: { seq: 2, hash: second?.hash ?? "" } });
    expect(await verify()).toEqual({ valid: true, length: 3 });
    await append(1, two);
    expect(await heads().findOne({ _id: clientId })).toMatchObject({ seq: 4 });
    expect(await verify()).toEqual({ valid: true, length: 4 });
  });
});

test("refuses an operator's call without the operator's token", async () => {
  const stranger = connectEventsSvc(one.grpcPort, "wrong");
  await expect(
    stranger.auditAdmin.verifyProjectAudits({ projectClientId: clientId }, operatorCall()),
  ).rejects.toMatchObject({ code: "unauthenticated" });
  stranger.close();
});
