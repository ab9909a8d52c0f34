import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import { createOutbox } from "@platform/kit/store/documents";
import {
  publishAndTell,
  publishToEventsSvc,
  startPlatformEventRelay,
  type TellContacts,
} from "@platform/operator-plane/platform-events";
import { eventually } from "@platform/test-kit/eventually";
import type { TestMongo } from "@platform/test-kit/mongo";
import { Registry } from "@prometheus-io/client";
import { MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestMongo, startTestServer } from "./fixture.ts";

let mongo: TestMongo;
let driver: MongoClient;
let server: Awaited<ReturnType<typeof startTestServer>>;
let connection: GrpcConnection;
let registry: Registry;
let relay: { stop(): Promise<void> } | null = null;
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
  server = await startTestServer(mongo);
  connection = connectGrpc({ address: `127.0.0.1:${server.grpcPort}`, tls: null });
});
beforeEach(async () => {
  clientId = newId();
  registry = new Registry();
  await things().deleteMany({});
});
afterEach(async () => {
  await relay?.stop();
  relay = null;
});
afterAll(async () => {
  connection.close();
  await server.close();
  await driver.close();
  await mongo.close();
});

type Thing = {
  _id: string;
  project_client_id: string;
  platform_events?: { key: string; audience?: string }[];
  platform_events_due_at?: Date;
};
const things = () => driver.db(mongo.database).collection<Thing>("things");
const published = () =>
  driver.db(mongo.database).collection("domain_events").countDocuments({ project_client_id: clientId });

const addThing = async (id: string, facts: number, dataJson = "{}"): Promise<void> => {
  const at = new Date();
  const platform_events = Array.from({ length: facts }, (_, index) => ({
    key: `thing:${id}:${index}`,
    type: "platform.thing.done",
    data_json: dataJson,
    occurred_at: at,
  }));
  await things().insertOne({
    _id: id,
    project_client_id: clientId,
    platform_events,
    platform_events_due_at: at,
  });
};
const startRelay = (tell: TellContacts = async () => {}): void => {
  relay = startPlatformEventRelay({
    outboxes: [createOutbox({ collection: things() })],
    publish: publishAndTell(publishToEventsSvc(connection), tell, silentLogger()),
    clock: () => new Date(),
    logger: silentLogger(),
    registry,
  });
};

test("publishes 1,200 events from 12 documents that were stored while events-svc was unavailable", async () => {
  for (let index = 0; index < 12; index += 1) await addThing(newId(), 100);
  startRelay();
  await eventually(async () => (await things().countDocuments({ platform_events_due_at: { $exists: true } })) === 0);
  expect(await published()).toBe(1_200);
});

test("publishes 1,200 events of one document, which is more than one call accepts", async () => {
  await addThing(newId(), 1_200);
  startRelay();
  await eventually(async () => (await things().countDocuments({ platform_events_due_at: { $exists: true } })) === 0);
  expect(await published()).toBe(1_200);
});

test.each([
  ["larger than any message", "", JSON.stringify("x".repeat(6 * 1024 * 1024))],
  ["with a key of 2,000 characters", "k".repeat(2_000), "{}"],
])("postpones a document with an event %s, and publishes the others", async (_, suffix, dataJson) => {
  const refused = `${newId()}${suffix}`;
  const before = new Date();
  await addThing(refused, 1, dataJson);
  for (let index = 0; index < 3; index += 1) await addThing(newId(), 2);
  startRelay();
  await eventually(async () => (await published()) === 6);
  const kept = await eventually(async () => {
    const thing = await things().findOne({ _id: refused });
    return (thing?.platform_events_due_at?.getTime() ?? 0) >= before.getTime() + 30_000 ? thing : undefined;
  });
  expect(kept?.platform_events).toHaveLength(1);
});

test("publishes all events while contacts cannot be notified, and notifies them later (identity-svc is away)", async () => {
  const at = new Date();
  const fact = { key: "subscription:s:ended", type: "platform.subscription.ended", data_json: "{}", occurred_at: at };
  const document = { _id: newId(), project_client_id: clientId, platform_events_due_at: at };
  await things().insertOne({ ...document, platform_events: [{ ...fact, audience: "log_and_contacts" }] });
  for (let index = 0; index < 3; index += 1) await addThing(newId(), 2);
  const told: string[] = [];
  let isAway = true;
  startRelay(async (forContacts) => {
    if (isAway) throw dependencyUnavailable();
    told.push(...forContacts.map((each) => each.fact.key));
  });
  await eventually(async () => (await published()) === 7);
  const waits = { _id: document._id, platform_events_due_at: { $gt: new Date() } };
  await eventually(async () => (await things().findOne(waits)) !== null);
  expect(await things().countDocuments({ platform_events_due_at: { $exists: true } })).toBe(1);
  isAway = false;
  await things().updateOne({ _id: document._id }, { $set: { platform_events_due_at: at } });
  await eventually(async () => (await things().countDocuments({ platform_events_due_at: { $exists: true } })) === 0);
  expect(told).toEqual([fact.key]);
  expect(await published()).toBe(7);
});

test("exports the age of the oldest unpublished event, including events of postponed documents", async () => {
  await addThing(newId(), 1);
  await things().updateMany({}, { $set: { platform_events_due_at: new Date(Date.now() + 600_000) } });
  const at = new Date(Date.now() - 3_600_000);
  await things().updateMany({}, { $set: { "platform_events.0.occurred_at": at } });
  startRelay();
  await eventually(async () => {
    const shown = await registry.getSingleMetric("platform_outbox_oldest_seconds")?.get();
    return (shown?.values[0]?.value ?? 0) >= 3_600;
  });
});
