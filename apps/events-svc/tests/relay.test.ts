import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { startTestIdentity } from "@platform/test-kit/identity";
import type { TestMongo } from "@platform/test-kit/mongo";
import { startTestNats } from "@platform/test-kit/nats";
import { startTestRedis } from "@platform/test-kit/redis";
import { type Collection, MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { streamName } from "../src/worker/relay/jetstream.ts";
import { backlogPublisher } from "./event-backlog.ts";
import { callFor, startTestMongo, startTestServer, testConfig, unusualNumbers } from "./fixture.ts";

let mongo: TestMongo;
let driver: MongoClient;
let events: Collection<{ _id: string; project_client_id: string; relay_state: string }>;
let nats: Awaited<ReturnType<typeof startTestNats>>;
let server: Awaited<ReturnType<typeof startTestServer>>;
let workers: Awaited<ReturnType<typeof createEventsWorker>>[] = [];
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
  events = driver.db(mongo.database).collection("domain_events");
  nats = await startTestNats();
  server = await startTestServer(mongo, { NATS_URL: nats.url });
});
beforeEach(() => {
  clientId = newId();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});
afterAll(async () => {
  await server.close();
  await nats.close();
  await driver.close();
  await mongo.close();
});

const startWorker = async (extra: Record<string, string> = {}): Promise<void> => {
  const config = testConfig(mongo, { NATS_URL: nats.url, ...extra });
  workers.push(await createEventsWorker(config, { logger: silentLogger() }));
};
const publish = async (fields: object = {}): Promise<string> => {
  const input = { type: "order.placed", schemaVersion: 1, dataJson: "{}", ...fields };
  return (await server.events.publishDomainEvent(input, callFor(clientId))).event?.id ?? "";
};
const pending = () => events.countDocuments({ project_client_id: clientId, relay_state: "pending" });
const allRelayed = () => eventually(async () => (await pending()) === 0, { timeoutMs: 180_000 });

type Relayed = { subject: string; messageId: string; body: Record<string, unknown>; text: string };

/** All messages of the client in the stream, in order. */
async function messages(): Promise<Relayed[]> {
  const connection = await connect({ servers: nats.url });
  try {
    const manager = await jetstreamManager(connection);
    const filter = `domain-events.${clientId}.>`;
    const { state } = await manager.streams.info(streamName, { subjects_filter: filter });
    const count = Object.values(state.subjects ?? {}).reduce((sum, each) => sum + each, 0);
    const found: Relayed[] = [];
    if (count === 0) return found;
    const consumer = await manager.jetstream().consumers.get(streamName, { filter_subjects: filter });
    for await (const message of await consumer.fetch({ max_messages: count })) {
      const text = message.string();
      found.push({
        subject: message.subject,
        messageId: message.headers?.get("Nats-Msg-Id") ?? "",
        body: JSON.parse(text),
        text,
      });
    }
    return found;
  } finally {
    await connection.close();
  }
}

describe("the relay to NATS JetStream", () => {
  test("pauses the relay only for a disabled Project Client, and resumes it within a second of enabling the client", async () => {
    const redis = await startTestRedis();
    const identity = await startTestIdentity(mongo, redis.url);
    try {
      clientId = await identity.createClient();
      await identity.disableClient(clientId);
      const held = await publish();
      await startWorker({ REDIS_URL: redis.url, IDENTITY_GRPC: identity.address });
      const other = await server.events.publishDomainEvent(
        { type: "order.placed", schemaVersion: 1, dataJson: "{}" },
        callFor(newId()),
      );
      const relayed = { _id: other.event?.id ?? "", relay_state: "relayed" };
      await eventually(async () => (await events.countDocuments(relayed)) === 1);
      expect(await pending()).toBe(1);
      await identity.enableClient(clientId);
      await eventually(async () => (await pending()) === 0, { timeoutMs: 3_000 });
      expect((await messages()).map(({ messageId }) => messageId)).toEqual([held]);
    } finally {
      await identity.close();
      await redis.close();
    }
  });

  test("relays every event as a CloudEvent with its id, in the order of the log", async () => {
    await Promise.all([startWorker(), startWorker()]);
    const published = await Promise.all(Array.from({ length: 300 }, () => publish()));
    await allRelayed();
    const found = await messages();
    expect(found.map(({ body }) => Number(body.position))).toEqual(
      Array.from({ length: 300 }, (_, index) => index + 1),
    );
    expect(new Set(found.map(({ messageId }) => messageId))).toEqual(new Set(published));
    expect(found[0]).toMatchObject({
      subject: `domain-events.${clientId}.order.placed`,
      body: {
        specversion: "1.0",
        id: found[0]?.messageId,
        type: "order.placed",
        source: `/project-clients/${clientId}`,
      },
    });
  });

  test("relays the numbers of the data with the digits and in the form in which they were published", async () => {
    await startWorker();
    await publish({ dataJson: unusualNumbers });
    await allRelayed();
    const [relayed] = await messages();
    expect(relayed?.text).toContain(`"data":${unusualNumbers}`);
  });

  test("relays a client's event while 5,000 events of another client wait", async () => {
    const connection = await connectMongo(mongo);
    const backlog = backlogPublisher(connection, { isRelayed: true });
    await backlog.publishMany(clientId, 5_000);
    const id = await backlog.publishOne(newId());
    await connection.close();
    await startWorker();
    const isRelayed = async () => (await events.countDocuments({ _id: id, relay_state: "relayed" })) === 1;
    await eventually(isRelayed, { timeoutMs: 60_000, everyMs: 5 });
    // The event waited for at most a few batches of 200 events.
    expect(await pending()).toBeGreaterThan(3_000);
    await allRelayed();
    expect((await messages()).map(({ body }) => Number(body.position))).toEqual(
      Array.from({ length: 5_000 }, (_, index) => index + 1),
    );
  });

  test("relays the caller's JSON byte for byte", async () => {
    await startWorker();
    const dataJson = '{"__proto__": {"a.b":1.0}, "n":12345678901234567890}';
    await publish({ dataJson });
    await allRelayed();
    expect((await messages())[0]?.text).toContain(`"data":${dataJson}}`);
  });

  test("stores an event once when a crash made the relay send it twice", async () => {
    await startWorker();
    await Promise.all(Array.from({ length: 20 }, () => publish()));
    await allRelayed();
    // Creates the state after a crash between JetStream's acknowledgement and the write that records it.
    await events.updateMany({ project_client_id: clientId }, { $set: { relay_state: "pending" } });
    await allRelayed();
    expect(await messages()).toHaveLength(20);
  });

  test("relays events that were published while NATS was down", async () => {
    await startWorker();
    await publish();
    await allRelayed();
    await nats.kill();
    const during = await Promise.all(Array.from({ length: 20 }, () => publish()));
    expect(await pending()).toBe(20);
    await nats.start();
    await allRelayed();
    const found = await messages();
    expect(found).toHaveLength(21);
    expect(new Set(found.map(({ messageId }) => messageId)).isSupersetOf(new Set(during))).toBe(true);
  });

  test("relays an event without its data, and marks it, if it is larger than NATS allows", async () => {
    await startWorker();
    const id = await publish({ dataJson: JSON.stringify({ text: "x".repeat(1_048_000) }) });
    await allRelayed();
    expect((await messages())[0]?.body).toMatchObject({ id, dataomitted: true });
  });
});
