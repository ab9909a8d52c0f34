import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { MongoClient, type UpdateFilter } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  createOutbox,
  type OutboxEntry,
  type OutboxFields,
  outboxFactsMax,
  type PlatformFact,
  withFact,
} from "../src/store/outbox.ts";

type Thing = OutboxFields & { _id: string; project_client_id: string };

const now = new Date("2026-03-01T12:00:00Z");
const later = new Date("2026-03-01T12:10:00Z");
const putOffUntil = new Date("2026-03-01T12:20:00Z");
let mongo: TestMongo;
let driver: MongoClient;

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
});
beforeEach(async () => {
  await things().deleteMany({});
});
afterAll(async () => {
  await driver.close();
  await mongo.close();
});

const things = () => driver.db(mongo.database).collection<Thing>("things");
const outbox = () => createOutbox({ collection: things() });
const fact = (key: string, at: Date): PlatformFact => ({
  key,
  type: "platform.thing.done",
  data_json: "{}",
  occurred_at: at,
});

/** Stores a document with this many events, and returns what the relay found of it. */
async function found(count: number): Promise<OutboxEntry> {
  const platform_events = Array.from({ length: count }, (_, index) => fact(`thing:${index}`, now));
  await things().insertOne({ _id: "t", project_client_id: "client", platform_events, platform_events_due_at: now });
  const [entry] = await outbox().findDue(now, 10);
  if (entry === undefined) throw new Error("the document is due");
  return entry;
}
const add = async (key: string): Promise<void> => {
  await things().updateOne({ _id: "t" }, withFact({}, fact(key, later)) as UpdateFilter<Thing>);
};
const dueAt = async (): Promise<Date | undefined> => (await things().findOne({ _id: "t" }))?.platform_events_due_at;

test("postpones the events of a document that were rejected", async () => {
  await outbox().putOff(await found(2), putOffUntil);
  expect(await dueAt()).toEqual(putOffUntil);
});

test.each([
  ["2", 2],
  ["as many events as a document may have", outboxFactsMax],
])("does not postpone an event that was added to %s while they were rejected", async (_, count) => {
  const entry = await found(count);
  await add("thing:new");
  await outbox().putOff(entry, putOffUntil);
  expect(await dueAt()).toEqual(later);
});
