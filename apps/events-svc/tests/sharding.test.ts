import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { CollectionFilter, TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { storage } from "../src/storage.ts";
import { callFor, operatorCall, startTestMongo, startTestServer, testConfig } from "./fixture.ts";

let mongo: TestMongo;
let server: Awaited<ReturnType<typeof startTestServer>>;
beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestServer(mongo);
});
afterAll(async () => {
  await server.close();
  await mongo.close();
});

const sharded = new Map(
  Object.entries(storage.sharding).flatMap(([name, rule]) => ("key" in rule ? [[name, Object.keys(rule.key)]] : [])),
);

/** Publishes, repeats, numbers, reads and audits for two clients. */
async function work(): Promise<void> {
  const worker = await createEventsWorker(testConfig(mongo), { logger: silentLogger() });
  try {
    for (const clientId of [newId(), newId()]) {
      const event = { type: "order.placed", schemaVersion: 1, dataJson: "{}", streamId: "s" };
      for (const sequence of [1n, 2n, 3n]) {
        const call = callFor(clientId);
        await server.events.publishDomainEvent({ ...event, sequence }, call);
        await server.events.publishDomainEvent({ ...event, sequence }, call);
      }
      let read = 0;
      const abort = new AbortController();
      for await (const { event: found } of server.consumer.readEvents(
        { projectClientId: clientId, afterPosition: 0n },
        operatorCall(abort.signal),
      ))
        if (found !== undefined && ++read === 3) break;
      abort.abort();
      const fact = { actorId: "a", action: "b", resourceType: "c", resourceId: "d", outcome: "e" };
      const call = callFor(clientId);
      await server.audits.createProjectAudit(fact, call);
      await server.audits.createProjectAudit(fact, call);
      await server.auditAdmin.verifyProjectAudits({ projectClientId: clientId }, operatorCall());
    }
  } finally {
    await worker.close();
  }
}

test("names the shard key in every read and write of a sharded collection", async () => {
  const seen = await mongo.filters([...sharded.keys()], work);
  expect(new Set(seen.map(({ collection }) => collection))).toEqual(new Set(sharded.keys()));
  const isTargeted = ({ collection, filter }: CollectionFilter): boolean =>
    (sharded.get(collection) ?? []).every((field) => {
      const condition = filter[field] as string | { $in?: unknown } | undefined;
      return typeof condition === "string" || condition?.$in !== undefined;
    });
  // These span the shards: a worker's polls for events without positions, once a day its look for heads to export and chains to verify, and hourly its walk over the logs
  // whose old events it removes.
  const isPoll = ({ filter }: CollectionFilter): boolean => "unnumbered" in filter && "partition" in filter;
  const isExport = ({ filter }: CollectionFilter): boolean => "exported_on" in filter;
  const isVerification = ({ collection, filter }: CollectionFilter): boolean =>
    collection === "project_audit_heads" && Object.keys(filter).some((field) => field.startsWith("verification."));
  const isRetention = ({ collection, filter }: CollectionFilter): boolean =>
    collection === "event_log_heads" && (filter._id as { $nin?: unknown }).$nin !== undefined;
  const spans = (each: CollectionFilter): boolean =>
    [isPoll, isExport, isVerification, isRetention].some((is) => is(each));
  expect(seen.filter((each) => !isTargeted(each) && !spans(each))).toEqual([]);
});
