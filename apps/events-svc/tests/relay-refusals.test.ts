import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { RunningService } from "@platform/kit/service/start";
import { eventually } from "@platform/test-kit/eventually";
import type { TestMongo } from "@platform/test-kit/mongo";
import { startTestNats } from "@platform/test-kit/nats";
import { type Collection, MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { streamName } from "../src/worker/relay/jetstream.ts";
import { callFor, startTestMongo, startTestServer, testConfig } from "./fixture.ts";

let mongo: TestMongo;
let driver: MongoClient;
let events: Collection<{ _id: string; project_client_id: string; relay_state: string }>;
let nats: Awaited<ReturnType<typeof startTestNats>>;
let connection: NatsConnection;
let server: Awaited<ReturnType<typeof startTestServer>>;
let worker: RunningService;
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
  events = driver.db(mongo.database).collection("domain_events");
});
beforeEach(async () => {
  clientId = newId();
  nats = await startTestNats();
  connection = await connect({ servers: nats.url, maxReconnectAttempts: -1 });
  server = await startTestServer(mongo, { NATS_URL: nats.url });
  worker = await createEventsWorker(testConfig(mongo, { NATS_URL: nats.url }), { logger: silentLogger() });
});
afterEach(async () => {
  await worker.close();
  await server.close();
  await connection.close();
  await nats.close();
});
afterAll(async () => {
  await driver.close();
  await mongo.close();
});

const publish = async (count: number, dataJson = "{}"): Promise<string[]> => {
  const ids: string[] = [];
  for (let done = 0; done < count; done += 1) {
    const input = { type: "order.placed", schemaVersion: 1, dataJson };
    ids.push((await server.events.publishDomainEvent(input, callFor(clientId))).event?.id ?? "");
  }
  return ids;
};
const pending = () => events.countDocuments({ project_client_id: clientId, relay_state: "pending" });
const allRelayed = () =>
  eventually(async () => (await pending()) === 0, { timeoutMs: 30_000, what: "all are relayed" });

/** Bodies of the messages in the stream, in order. */
async function stored(): Promise<{ id: string; position: string; dataomitted?: boolean }[]> {
  const manager = await jetstreamManager(connection);
  const { state } = await manager.streams.info(streamName);
  if (state.messages === 0) return [];
  const consumer = await manager.jetstream().consumers.get(streamName, {});
  const found: { id: string; position: string }[] = [];
  for await (const message of await consumer.fetch({ max_messages: state.messages })) found.push(message.json());
  return found;
}

test("recreates a deleted stream, and relays the waiting events", async () => {
  await publish(3);
  await allRelayed();
  await (await jetstreamManager(connection)).streams.delete(streamName);
  const ids = await publish(3);
  await allRelayed();
  expect((await stored()).map(({ id }) => id)).toEqual(ids);
});

test("creates the stream again if NATS restarts with an empty disk", async () => {
  await publish(3);
  await allRelayed();
  await nats.kill();
  await nats.emptyDisk();
  const ids = await publish(3);
  await nats.start();
  await allRelayed();
  expect((await stored()).map(({ id }) => id)).toEqual(ids);
});

test("relays an event larger than the stream's max_msg_size without its data, in order and once", async () => {
  await publish(1);
  await allRelayed();
  await worker.close();
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info(streamName);
  await manager.streams.update(streamName, { ...config, max_msg_size: 4_096 });
  const before = await publish(5);
  const [large] = await publish(1, JSON.stringify({ text: "x".repeat(10_000) }));
  const after = await publish(5);
  worker = await createEventsWorker(testConfig(mongo, { NATS_URL: nats.url }), { logger: silentLogger() });
  await allRelayed();
  const found = (await stored()).slice(1);
  expect(found.map(({ id }) => id)).toEqual([...before, large, ...after]);
  expect(found.filter(({ dataomitted }) => dataomitted === true).map(({ id }) => id)).toEqual([large]);
});

test("relays an event without its data if max_msg_size is lowered while the relay is running", async () => {
  await publish(1);
  await allRelayed();
  const manager = await jetstreamManager(connection);
  const { config } = await manager.streams.info(streamName);
  await manager.streams.update(streamName, { ...config, max_msg_size: 4_096 });
  const ids = [...(await publish(3)), ...(await publish(1, JSON.stringify({ text: "x".repeat(10_000) })))];
  ids.push(...(await publish(3)));
  await allRelayed();
  expect((await stored()).slice(1).map(({ id }) => id)).toEqual(ids);
});

test("stores no event after one that a full stream refuses, and continues in order once there is space", async () => {
  await publish(1);
  await allRelayed();
  await worker.close();
  const manager = await jetstreamManager(connection);
  const { config, state } = await manager.streams.info(streamName);
  // The first large event fits into the stream and the second does not. The small ones after it would fit.
  const limits = { max_bytes: state.bytes + 15_000, discard: "new" } as const;
  await manager.streams.update(streamName, { ...config, ...limits });
  const large = JSON.stringify({ text: "x".repeat(10_000) });
  const ids = [...(await publish(1, large)), ...(await publish(1, large)), ...(await publish(10))];
  worker = await createEventsWorker(testConfig(mongo, { NATS_URL: nats.url }), { logger: silentLogger() });
  await eventually(async () => (await pending()) === 11, { what: "the first is relayed" });
  await eventually(async () => (await metric("platform_events_oldest_unrelayed_seconds")) > 0, { timeoutMs: 30_000 });
  const readyz = await (await fetch(`http://127.0.0.1:${worker.probePort}/readyz`)).text();
  expect(readyz).toMatch(/^nats: .*maximum bytes exceeded/m);
  await manager.streams.update(streamName, { ...config, max_bytes: -1 });
  await allRelayed();
  expect((await stored()).slice(1).map(({ id }) => id)).toEqual(ids);
});

test("relays waiting events once NATS responds again after it stopped responding on open connections", async () => {
  await publish(1);
  await allRelayed();
  nats.pause();
  const ids = await publish(3);
  await eventually(async () => (await metric("platform_events_oldest_unrelayed_seconds")) > 0, { timeoutMs: 40_000 });
  expect(await metric("platform_dependency_up", 'dependency="nats"')).toBe(0);
  nats.resume();
  await allRelayed();
  await eventually(async () => (await metric("platform_dependency_up", 'dependency="nats"')) === 1);
  expect((await stored()).slice(1).map(({ id }) => id)).toEqual(ids);
});

async function metric(name: string, label = ""): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${worker.probePort}/metrics`)).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*${label}[^}]*\\})? (\\S+)`, "m").exec(text)?.[1] ?? Number.NaN);
}
