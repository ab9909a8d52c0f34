import { newId } from "@platform/kit/process/secrets";
import { connectGrpc } from "@platform/kit/rpc/client";
import { collectionOf } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { untypedCollection } from "@platform/test-kit/documents";
import { eventually } from "@platform/test-kit/eventually";
import type { TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventsModels } from "../src/store/models.ts";
import { createRetentionSweeps } from "../src/store/retention-sweeps.ts";
import { insertEventLog } from "./event-log.ts";
import { operatorCall } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

const dayMs = 86_400_000;
const everybody = { clientId: null, exceptClientIds: [] };
let mongo: TestMongo;
let bed: SubscriptionBed;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let models: ReturnType<typeof eventsModels>;
let clientId: string;
let held: Map<string, boolean>;

beforeAll(async () => {
  bed = await startSubscriptionBed();
  mongo = bed.mongo;
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  models = eventsModels(connection);
  await buildIndexes(connection);
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
  held = new Map();
});
afterAll(async () => {
  await connection.close();
  await bed.close();
});

const insertLog = (old: number, recent: number, id = clientId) => insertEventLog(models, id, old, recent);

const sweepOf = () => {
  const onHeld = (id: string, isHeld: boolean) => void held.set(id, isHeld);
  const sweeps = createRetentionSweeps(models, async () => undefined, onHeld);
  const sweep = sweeps.find(({ kind }) => kind === "domain_events");
  if (sweep === undefined) throw new Error("no sweep of domain_events");
  return sweep;
};
const before = () => new Date(Date.now() - 365 * dayMs);
/** Removes all expired events. Returns the remaining positions of the client's log. */
async function sweep(): Promise<number[]> {
  const { removeBatch } = sweepOf();
  while ((await removeBatch(everybody, before(), 3)) === 3);
  const left = await models.event.events.find({ project_client_id: clientId }).sort({ position: 1 }).lean();
  return left.map(({ position }) => position ?? 0);
}

const connect = (token: string) =>
  connectGrpc({
    address: `127.0.0.1:${bed.server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${token}` },
  });
async function issueConsumer() {
  const operator = connect(bed.server.config.operatorToken);
  const admin = operator.service(ConsumerAdminService);
  const { consumer, token } = await admin.issueConsumer({ projectClientId: clientId, name: "" }, operatorCall());
  return {
    id: consumer?.id ?? "",
    token,
    row: async () => {
      const { consumers } = await admin.listConsumers({ projectClientId: clientId }, operatorCall());
      return consumers.find(({ id }) => id === consumer?.id);
    },
    revoke: () => admin.revokeConsumer({ consumerId: consumer?.id ?? "" }, operatorCall()),
    close: operator.close,
  };
}
/** Positions of the first events after a position, read with a token. */
async function read(token: string, afterPosition: number, count: number): Promise<number[]> {
  const reader = connect(token);
  const stop = new AbortController();
  const positions: number[] = [];
  try {
    const request = { projectClientId: clientId, afterPosition: BigInt(afterPosition) };
    const stream = reader.service(DomainEventConsumerService).readEvents(request, operatorCall(stop.signal));
    for await (const { position } of stream) {
      positions.push(Number(position));
      if (positions.length === count) break;
    }
  } finally {
    stop.abort();
    reader.close();
  }
  return positions;
}

/** Opens a stream for events after a position, and keeps it open. */
async function followFrom(token: string, afterPosition: number, signal: AbortSignal): Promise<void> {
  const reader = connect(token);
  const request = { projectClientId: clientId, afterPosition: BigInt(afterPosition) };
  const stream = reader.service(DomainEventConsumerService).readEvents(request, operatorCall(signal));
  await Array.fromAsync(stream).catch(() => []);
  reader.close();
}

describe("the retention of events", () => {
  test("keeps events for 365 days unless a client has its own setting", async () => {
    expect(models.retention.defaults).toMatchObject({ domain_events: 365 });
  });

  test("deletes expired events in batches from the start of each log and keeps recent ones", async () => {
    const other = newId();
    await insertLog(2, 1, other);
    await insertLog(7, 2);
    const { removeBatch } = sweepOf();
    expect(await removeBatch({ clientId: null, exceptClientIds: [clientId, other] }, before(), 3)).toBe(0);
    expect(await removeBatch({ clientId, exceptClientIds: null }, before(), 3)).toBe(3);
    expect(await sweep()).toEqual([8, 9]);
    expect(await models.event.events.countDocuments({ project_client_id: other })).toBe(1);
    expect(held.get(clientId)).toBe(false);
  });

  test("reads only one event of a log that has nothing to delete", async () => {
    await insertLog(0, 20);
    const { removeBatch } = sweepOf();
    const examined = await mongo.examined("domain_events", () =>
      removeBatch({ clientId, exceptClientIds: null }, before(), 500),
    );
    expect(Math.max(...examined)).toBeLessThanOrEqual(1);
  });

  test("finishes a removal that a crash interrupted", async () => {
    await insertLog(3, 2);
    await collectionOf(models.event.heads).updateOne({ _id: clientId }, { $set: { removed_to: 4 } });
    expect(await sweep()).toEqual([5]);
  });

  test("keeps events that a consumer has not read until it reads them or is revoked", async () => {
    await insertLog(5, 1);
    const [reader, idle] = [await issueConsumer(), await issueConsumer()];
    expect(await sweep()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(held.get(clientId)).toBe(true);
    await idle.revoke();
    expect(await read(reader.token, 2, 1)).toEqual([3]);
    expect(await reader.row()).toMatchObject({ position: 2n, lag: 4n });
    expect(await sweep()).toEqual([3, 4, 5, 6]);
    const stop = new AbortController();
    const atEnd = followFrom(reader.token, 6, stop.signal);
    await eventually(async () => (await reader.row())?.lag === 0n, { what: "the consumer at the end" });
    expect(await sweep()).toEqual([6]);
    expect(held.get(clientId)).toBe(false);
    stop.abort();
    await atEnd;
    reader.close();
    idle.close();
  });

  test("keeps events that were sent to a consumer that died before it handled them", async () => {
    await insertLog(5, 1);
    const consumer = await issueConsumer();
    expect(await read(consumer.token, 0, 6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await sweep()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await consumer.row()).toMatchObject({ position: 0n });
    consumer.close();
  });

  test("keeps events that the slower of two streams of one token has not handled, even after both have ended", async () => {
    await insertLog(5, 1);
    const consumer = await issueConsumer();
    const stop = new AbortController();
    const slow = followFrom(consumer.token, 1, stop.signal);
    await eventually(async () => (await consumer.row())?.position === 1n, { what: "the slow stream" });
    expect(await read(consumer.token, 5, 1)).toEqual([6]);
    expect(await sweep()).toEqual([2, 3, 4, 5, 6]);
    stop.abort();
    await slow;
    expect(await sweep()).toEqual([2, 3, 4, 5, 6]);
    consumer.close();
  });

  test("refuses a position beyond the log's end, which would acknowledge everything, and keeps the log", async () => {
    await insertLog(5, 1);
    const consumer = await issueConsumer();
    const refused = { code: "contract_violation", details: { violations: [{ path: "/after_position" }] } };
    await expect(read(consumer.token, 999_999, 1)).rejects.toMatchObject(refused);
    await expect(read(consumer.token, 7, 1)).rejects.toMatchObject(refused);
    await expect(read(consumer.token, -1, 1)).rejects.toMatchObject(refused);
    expect(await sweep()).toEqual([1, 2, 3, 4, 5, 6]);
    consumer.close();
  });

  test("acknowledges nothing if a consumer reads without presenting a position", async () => {
    await insertLog(5, 1);
    const consumer = await issueConsumer();
    expect(await read(consumer.token, 2, 1)).toEqual([3]);
    const reader = connect(consumer.token).service(DomainEventConsumerService);
    const stop = new AbortController();
    const fromNow = reader.readEvents({ projectClientId: clientId }, operatorCall(stop.signal))[Symbol.asyncIterator]();
    expect((await fromNow.next()).value?.position).toBe(6n);
    expect(await sweep()).toEqual([3, 4, 5, 6]);
    stop.abort();
    consumer.close();
  });

  test("keeps events that the relay has not sent", async () => {
    await insertLog(4, 1);
    const second = { project_client_id: clientId, position: 2 };
    await models.event.events.collection.updateOne(second, { $set: { relay_state: "pending" } });
    expect(await sweep()).toEqual([2, 3, 4, 5]);
  });

  test("keeps events that have yet to be delivered because of a paused subscription, an open call, a replay or a held stream", async () => {
    await insertLog(6, 1);
    const { id, operationId } = await bed.subscribe(clientId, { types: ["none.such"], from: 7 });
    await bed.subscriptions.pauseSubscription({ subscriptionId: id }, operatorCall());
    const set = (fields: object) => collectionOf(models.subscriptions).updateOne({ _id: id }, { $set: fields });
    await set({ recorded_to: 2 });
    expect(await sweep()).toEqual([3, 4, 5, 6, 7]);
    await set({ recorded_to: 7, replays: [{ number: 1, recorded_to: 3, to: 6 }] });
    expect(await sweep()).toEqual([4, 5, 6, 7]);
    await set({ replays: [], held: [{ lane: "0:s", replay: 0, stream_id: "s", recorded_to: 3 }] });
    expect(await sweep()).toEqual([4, 5, 6, 7]);
    await collectionOf(models.subscriptions).updateOne({ _id: id }, { $unset: { held: "" } });
    const run = { _id: newId(), project_client_id: clientId, operation_id: operationId, scheduled_for: new Date() };
    const ofEvent = { subscription_id: id, event_id: newId(), position: 5, replay: 0, unsettled: true };
    const state = { state: "waiting", attempts: [], attempt_count: 0, tries_made: 0, tries_left: 5 };
    await untypedCollection(models.schedule.runs).insertOne({ ...run, ...ofEvent, ...state });
    expect(await sweep()).toEqual([5, 6, 7]);
    await bed.subscriptions.deleteSubscription({ subscriptionId: id }, operatorCall());
    expect(await sweep()).toEqual([7]);
  });
});

describe("a log whose beginning was removed", () => {
  beforeEach(async () => {
    await insertLog(4, 2);
    await sweep();
  });
  const operatorToken = () => bed.server.config.operatorToken;
  const refusal = { code: "events_not_kept", details: { removed_to: 4 } };

  test("rejects a read from before the oldest kept event, and names the position from which reading is possible", async () => {
    await expect(read(operatorToken(), 0, 1)).rejects.toMatchObject(refusal);
    await expect(read(operatorToken(), 3, 1)).rejects.toThrow(/after 4/);
    expect(await read(operatorToken(), 4, 2)).toEqual([5, 6]);
  });

  test("ends a stream whose next events were deleted while it waited", async () => {
    await collectionOf(models.event.heads).updateOne({ _id: clientId }, { $inc: { position: 3 } });
    const waiting = read(operatorToken(), 6, 1);
    const ended = expect(waiting).rejects.toMatchObject({ code: "events_not_kept" });
    await collectionOf(models.event.heads).updateOne({ _id: clientId }, { $set: { removed_to: 8 } });
    await ended;
  });

  test("rejects subscriptions and replays that would begin before the oldest kept event", async () => {
    await expect(bed.subscribe(clientId, { from: 3 })).rejects.toMatchObject(refusal);
    const { id } = await bed.subscribe(clientId, { from: 4 });
    await eventually(async () => (await bed.show(id)).position === 6, { what: "the subscription's position" });
    const request = { subscriptionId: id, afterPosition: 2n };
    await expect(bed.subscriptions.replaySubscription(request, operatorCall())).rejects.toMatchObject(refusal);
  });
});
