import { sweepFactory } from "@platform/kit/jobs/work";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo, createPutOffStore } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { Registry } from "@prometheus-io/client";
import { type Connection, Schema } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientCondition, createRetentionStore, type RetentionSweep, startRetention } from "../src/doors/retention.ts";

const dayMs = 86_400_000;
let mongo: TestMongo;
let connection: Connection;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

test("deletes in one round all records older than their client's policy, and keeps records just below the limit", async () => {
  const records = connection.model(
    "Record",
    new Schema({ project_client_id: String, at: Date }, { versionKey: false }),
  );
  const now = new Date("2026-06-01T00:00:00Z");
  const [own, other] = [newId(), newId()];
  const insert = (clientId: string, days: number, count: number, ms = 0) => {
    const at = new Date(now.getTime() - days * dayMs + ms);
    return records.collection.insertMany(Array.from({ length: count }, () => ({ project_client_id: clientId, at })));
  };
  // More records have expired than fit into one batch, and one record of each client is exactly at its limit.
  await insert(other, 30, 4_500, -1);
  await insert(other, 30, 1);
  await insert(own, 7, 2, -1);
  await insert(own, 7, 1);
  const settings = createRetentionStore(connection, { records: 30 });
  await settings.set(own, "records", 7);
  const sweep: RetentionSweep = {
    kind: "records",
    removeBatch: async (scope, before, limit) => {
      const filter = { at: { $lt: before }, ...clientCondition(scope) };
      const found = await records.collection.find(filter).limit(limit).toArray();
      return (await records.collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } })).deletedCount;
    },
  };
  const [registry, logger, clock] = [new Registry(), silentLogger(), () => now];
  const sweeps = sweepFactory({ store: createPutOffStore(connection), clock, logger, registry });
  const options = { everyMs: 3_600_000, clock, logger, registry, sweep: sweeps("retention") };
  const job = startRetention(settings, [sweep], options);
  try {
    const finished = () => registry.getSingleMetricAsString("platform_retention_finished_timestamp_seconds");
    await eventually(async () => (await finished()).includes(`kind="records"} ${now.getTime() / 1_000}`));
    const left = await records.collection.find({}).toArray();
    expect(left.map(({ project_client_id }) => project_client_id).sort()).toEqual([own, other].sort());
    const removed = await registry.getSingleMetricAsString("platform_retention_removed_total");
    expect(removed).toContain('kind="records"} 4502');
  } finally {
    await job.stop();
  }
});
