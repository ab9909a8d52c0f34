import { once } from "node:events";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import type { TestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { callFor, operatorCall, startTestMongo, startTestServer } from "./fixture.ts";

let mongo: TestMongo;
let redis: Awaited<ReturnType<typeof startTestRedis>>;
let driver: MongoClient;
let server: Awaited<ReturnType<typeof startTestServer>>;
let nowMs = Date.parse("2026-03-01T00:00:00Z");
let clientId: string;
beforeAll(async () => {
  mongo = await startTestMongo();
  redis = await startTestRedis();
  driver = await MongoClient.connect(mongo.uri);
  server = await startTestServer(mongo, { REDIS_URL: redis.url }, { clock: () => new Date(nowMs) });
});
beforeEach(() => {
  clientId = newId();
});
afterAll(async () => {
  await server.close();
  await driver.close();
  await redis.close();
  await mongo.close();
});

const records = () => driver.db(mongo.database).collection<Record<string, unknown>>("project_audits");
const dayMs = 86_400_000;
const fact = {
  actorId: "user:1",
  action: "invoice.approve",
  resourceType: "invoice",
  resourceId: "inv-1",
  outcome: "succeeded",
};

/** Appends facts of two alternating actors, one second apart. */
async function append(count: number, more: object = {}): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    await server.audits.createProjectAudit({ ...fact, actorId: `user:${at % 2}`, ...more }, callFor(clientId));
    nowMs += 1_000;
  }
}
const list = async (filter: object = {}) =>
  (await server.auditAdmin.listProjectAudits({ projectClientId: clientId, ...filter }, operatorCall())).audits;
const verify = async (keptHead?: string) => {
  const request = { projectClientId: clientId, ...defined({ keptHead }) };
  const { valid, length, reason } = await server.auditAdmin.verifyProjectAudits(request, operatorCall());
  return valid ? { valid, length: Number(length) } : { valid, reason };
};
const exportAll = async () => {
  const last = (await list()).at(-1);
  const request = { projectClientId: clientId, throughSeq: last?.seq ?? 0n, hash: last?.hash ?? "" };
  return server.pruneAdmin.markProjectAuditsExported(request, operatorCall());
};
const prune = (untilMs = nowMs) =>
  server.pruneAdmin.pruneProjectAudits(
    { projectClientId: clientId, until: timestampFromDate(new Date(untilMs)) },
    operatorCall(),
  );

describe("the list of Project Audits", () => {
  test("filters audits by actor, action, resource and time, and reads one page of documents", async () => {
    const startMs = nowMs;
    await append(60);
    await append(2, { action: "invoice.reject", resourceType: "bill", resourceId: "bill-9", actorId: "user:9" });
    for (const filter of [
      { actorId: "user:9" },
      { action: "invoice.reject" },
      { resourceType: "bill" },
      { resourceId: "bill-9" },
    ]) {
      expect((await list(filter)).map(({ seq }) => Number(seq))).toEqual([61, 62]);
      const examined = await mongo.examined("project_audits", () => list({ ...filter, limit: 2 }));
      expect(Math.max(...examined)).toBeLessThanOrEqual(2);
    }
    const between = {
      since: timestampFromDate(new Date(startMs + 10_000)),
      until: timestampFromDate(new Date(startMs + 13_000)),
    };
    expect((await list(between)).map(({ seq }) => Number(seq))).toEqual([11, 12, 13]);
  });
});

describe("pruning", () => {
  test("refuses to prune audits that were not exported", async () => {
    await append(3);
    await expect(prune()).rejects.toMatchObject({ code: "export_required" });
    await exportAll();
    await append(1);
    await expect(prune()).rejects.toMatchObject({ code: "export_required" });
    const wrong = { projectClientId: clientId, throughSeq: 2n, hash: "0".repeat(64) };
    await expect(server.pruneAdmin.markProjectAuditsExported(wrong, operatorCall())).rejects.toMatchObject({
      code: "contract_violation",
    });
  });

  test("removes the contents of records up to a time, and still verifies the chain against heads from before and after", async () => {
    await append(4);
    const untilMs = nowMs;
    await append(2);
    const before = await list();
    await exportAll();
    expect(await prune(untilMs)).toMatchObject({ pruned: 4, throughSeq: 4n, done: true });
    expect((await list()).map(({ seq }) => Number(seq))).toEqual([5, 6]);
    expect(await verify()).toEqual({ valid: true, length: 6 });
    for (const { hash } of before) expect(await verify(hash)).toEqual({ valid: true, length: 6 });
    expect(await verify("1".repeat(64))).toMatchObject({ valid: false, reason: "kept_head_missing" });
    const left = await records()
      .find({ project_client_id: clientId, seq: { $lte: 4 } })
      .toArray();
    expect(JSON.stringify(left)).not.toMatch(/user:|inv-1|approve/);
    await append(1);
    expect(await verify()).toEqual({ valid: true, length: 7 });
  });

  test("replays the response for the key of a pruned audit, and refuses the key for another fact", async () => {
    const call = callFor(clientId, { key: "once", fingerprint: "f".repeat(64) });
    const first = await server.audits.createProjectAudit(fact, call);
    nowMs += 1_000;
    await exportAll();
    await prune();
    const again = await server.audits.createProjectAudit(fact, call);
    expect(again).toMatchObject({ id: first.id, replayed: true });
    const other = callFor(clientId, { key: "once", fingerprint: "e".repeat(64) });
    await expect(server.audits.createProjectAudit(fact, other)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  test("lowers the gauge audit_retention once, even if a batch is repeated", async () => {
    const connection = connectRedis(redis.url, () => undefined);
    await once(connection, "ready");
    const quota = createQuota(connection);
    await append(6);
    const level = async () =>
      Number((await server.quotaLevels.getQuotaLevel({ resource: "audit_retention" }, callFor(clientId))).used);
    await quota.restoreGauge(clientId, "audit_retention", level);
    expect(await quota.used(clientId, "audit_retention")).toBe(6);
    await exportAll();
    await prune();
    // Creates the state after a crash before the last write of a batch, so that the batch is repeated.
    await driver
      .db(mongo.database)
      .collection<{ _id: string }>("project_audit_heads")
      .updateOne({ _id: clientId }, { $unset: { pruned_done_seq: "" } });
    await prune(nowMs + dayMs);
    expect(await level()).toBe(0);
    expect(await quota.used(clientId, "audit_retention")).toBe(0);
    connection.disconnect();
  });

  test("reports a record removed without pruning as tampering", async () => {
    await append(4);
    await exportAll();
    await prune(nowMs - 3_000);
    await records().updateOne(
      { project_client_id: clientId, seq: 3 },
      { $set: { pruned: true }, $unset: { actor_id: "", action: "" } },
    );
    expect(await verify()).toMatchObject({ valid: false, reason: "record_altered" });
  });
});
