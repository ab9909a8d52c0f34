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

/** Publishes events, repeats them, numbers and reads them, and appends audits, for two clients. */
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
  // These reads use all shards: a worker polls for events without positions, searches once a day for heads to export
  // and chains to verify, and every hour visits the logs whose expired events it removes.
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

/**
 * How a mongos treats every command that the service sends. The restrictions for indexes, updates, deletions and
 * findAndModify come from the page Operational Restrictions in Sharded Clusters of the manual; they were not tested
 * with a mongos. A new command needs an entry.
 */
const onMongos: Readonly<Record<string, string>> = {
  hello: "answers msg: isdbgrid and no setName; localTime is of the mongos, so all of them need synchronized clocks",
  ping: "answers by itself, also while shards are down",
  endSessions: "the same as on a replica set",
  createIndexes:
    "builds on every shard that has chunks; a unique index of a sharded collection must begin with the shard key",
  saslContinue: "authenticates the connection with that mongos",
  listIndexes: "asks the primary shard of the database",
  insert: "goes to the shard of the key, which each document must have; an ordered batch stops at the first fault",
  find: "goes to the shards of the key in the filter, to all without it; sorts are merged; read concern snapshot is allowed outside transactions",
  getMore: "the same as on a replica set; the cursor belongs to that mongos",
  killCursors: "the same as on a replica set",
  aggregate: "runs on the shards that a first $match names, and merges; $lookup into sharded collections is not used",
  count: "may count orphaned documents when the filter lacks the shard key; no decision depends on it",
  distinct: "is merged; may see orphaned documents",
  update: "of one document: the filter must have the shard key or the whole _id; an upsert must have the shard key",
  delete:
    "of one document: the filter must have the shard key or the whole _id; of several: goes to all shards without it",
  findAndModify: "the filter must have an equality condition on the shard key",
};

test("sends only commands whose behaviour on mongos is known", async () => {
  const sent = await mongo.commands(async () => {
    const other = await startTestServer(mongo);
    await work();
    await other.close();
  });
  expect([...sent].filter((name) => onMongos[name] === undefined)).toEqual([]);
  expect(sent).toContain("findAndModify");
});
