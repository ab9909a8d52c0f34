import { newId } from "@platform/kit/process/secrets";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { untypedCollection } from "@platform/test-kit/documents";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventsModels } from "../src/store/models.ts";
import { markExported } from "../src/store/prune-project-audits.ts";
import { createRetentionSweeps } from "../src/store/retention-sweeps.ts";
import { callFor, startTestServer } from "./fixture.ts";

const dayMs = 86_400_000;
let mongo: TestMongo;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let models: ReturnType<typeof eventsModels>;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  models = eventsModels(connection);
  await buildIndexes(connection);
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const sweepOf = (kind: string, given: string[] = []) => {
  const sweeps = createRetentionSweeps(models, async (_clientId, _amount, id) => given.push(id));
  const sweep = sweeps.find((each) => each.kind === kind);
  if (sweep === undefined) throw new Error(`no sweep of ${kind}`);
  return sweep;
};

describe("the retention of runs", () => {
  test("removes expired finished runs in batches, and keeps all others", async () => {
    const clientId = newId();
    const now = Date.now();
    const run = (state: string, days: number) => ({
      _id: newId(),
      project_client_id: clientId,
      operation_id: "operation",
      scheduled_for: new Date(now - days * dayMs),
      state,
      attempts: [],
      attempt_count: 0,
      tries_made: 0,
      tries_left: 5,
    });
    const over = ["failed", "skipped", "succeeded"].map((state) => run(state, 100));
    const kept = [run("pending", 100), run("deferred", 100), run("succeeded", 10)];
    await untypedCollection(models.schedule.runs).insertMany([...over, ...kept]);
    const sweep = sweepOf("scheduled_runs");
    const scope = { clientId: null, exceptClientIds: [] };
    const before = new Date(now - 90 * dayMs);
    expect(await sweep.removeBatch({ clientId: null, exceptClientIds: [clientId] }, before, 2)).toBe(0);
    const examined = await mongo.examined("scheduled_runs", () => sweep.removeBatch(scope, before, 2));
    expect(Math.max(...examined)).toBeLessThanOrEqual(4);
    expect(await sweep.removeBatch(scope, before, 2)).toBe(1);
    expect(await models.schedule.runs.countDocuments({ project_client_id: clientId })).toBe(3);
  });
});

describe("the retention of audits", () => {
  test("prunes exported audits of clients that have a setting", async () => {
    const clientId = newId();
    let nowMs = Date.now() - 20 * dayMs;
    const server = await startTestServer(mongo, {}, { clock: () => new Date(nowMs) });
    const fact = { actorId: "a", action: "b.c", resourceType: "d", resourceId: "e", outcome: "succeeded" };
    for (let at = 0; at < 3; at += 1) await server.audits.createProjectAudit(fact, callFor(clientId));
    nowMs = Date.now();
    await server.audits.createProjectAudit(fact, callFor(clientId));
    await server.close();
    const given: string[] = [];
    const sweep = sweepOf("audits", given);
    const before = new Date(nowMs - 10 * dayMs);
    expect(await sweep.removeBatch({ clientId, exceptClientIds: null }, before, 500)).toBe(0);
    const markThrough = async (seq: number): Promise<void> => {
      const record = await models.audit.audits.findOne({ project_client_id: clientId, seq }).lean();
      await markExported(models.audit, clientId, seq, record?.hash ?? "");
    };
    // The third record was not exported, so it stays, and does not delay the others.
    await markThrough(2);
    expect(await sweep.removeBatch({ clientId, exceptClientIds: null }, before, 500)).toBe(2);
    await markThrough(4);
    expect(await sweep.removeBatch({ clientId, exceptClientIds: null }, before, 500)).toBe(1);
    expect(await sweep.removeBatch({ clientId: null, exceptClientIds: [] }, before, 500)).toBe(0);
    expect(given).toEqual(["audit-prune:0-2", "audit-prune:2-3"]);
  });

  test("continues after a batch that is short because batches start at fixed records", async () => {
    const clientId = newId();
    const ofAll = { project_client_id: clientId, recorded_at: new Date(0) };
    const record = (seq: number) => ({ ...ofAll, _id: newId(), seq, idempotency_key: newId() });
    await untypedCollection(models.audit.audits).insertMany(
      Array.from({ length: 1_100 }, (_, index) => record(index + 1)),
    );
    const head = { _id: clientId, exported_seq: 1_100, pruned_done_seq: 400, pruned_seq: 400 };
    await untypedCollection(models.audit.heads).insertOne(head);
    const sweep = sweepOf("audits");
    expect(await sweep.removeBatch({ clientId, exceptClientIds: null }, new Date(), 2_000)).toBe(700);
  });
});
