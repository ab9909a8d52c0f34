import { newId } from "@platform/kit/process/secrets";
import { connectMongo, type MongoConnection } from "@platform/kit/store/schema";
import { createPlatformFacts } from "@platform/operator-plane/platform-events";
import { eventually } from "@platform/test-kit/eventually";
import { type Collection, type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeliveryQueue } from "../src/store/delivery-queue.ts";
import { type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
let mongo: MongoClient;
let connection: MongoConnection;
let deliveries: Collection<Document & { _id: string }>;
beforeAll(async () => {
  stack = await startNotifyStack();
  mongo = await MongoClient.connect(stack.mongo.uri);
  deliveries = mongo.db(stack.mongo.database).collection("deliveries");
  connection = await connectMongo({ uri: stack.mongo.uri, database: stack.mongo.database });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
  await stack.close();
});

/**
 * Queues `count` deliveries to ten endpoints of a new client. One is created through the API, and the others are
 * copies of it.
 */
async function queue(count: number): Promise<string> {
  const { clientId, profileId } = await prepareClient(stack, "line");
  const endpoints = await Promise.all(Array.from({ length: 10 }, () => verifiedEndpoint(stack, "line", clientId)));
  await send(stack, "line", { clientId, profileId, endpointId: endpoints[0]?.endpointId ?? "" });
  const model = await deliveries.findOne({ project_client_id: clientId });
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...model,
    _id: newId(),
    endpoint_id: endpoints[index % endpoints.length]?.endpointId,
    idempotency_key: `channel:${newId()}`,
  }));
  await deliveries.insertMany(copies);
  return clientId;
}

const finishedOf = (clientId: string): Promise<number> =>
  deliveries.countDocuments({ project_client_id: clientId, status: "sent", attempts: 1 });

describe("claims of deliveries", () => {
  it("skips deliveries that were postponed since they were read", async () => {
    const clientId = await queue(2);
    const [early, late] = await deliveries.find({ project_client_id: clientId }).toArray();
    const now = new Date();
    await deliveries.updateOne({ _id: late?._id ?? "" }, { $set: { due_at: new Date(now.getTime() + 1) } });
    const ids = [early?._id ?? "", late?._id ?? ""];
    const options = { clock: () => now, leaseMs: 30_000 };
    const claimed = await createDeliveryQueue(connection, createPlatformFacts(), options).claim(ids);
    expect(claimed.map(({ delivery }) => delivery.id)).toEqual([early?._id]);
    await deliveries.deleteMany({ project_client_id: clientId });
  });

  it.each([
    ["all waiting deliveries", { version: "8.0.0" }, 2],
    ["only those that are due soon", { ferretdb: { version: "v2.7.0" } }, 1],
  ])("reads %s from a server whose buildInfo is %j", async (_what, buildInfo, count) => {
    const clientId = await queue(2);
    const [early, late] = await deliveries.find({ project_client_id: clientId }).sort({ _id: 1 }).toArray();
    const nowMs = Date.now();
    const dueAt = (id: unknown, ms: number) =>
      deliveries.updateOne({ _id: `${id}` }, { $set: { due_at: new Date(nowMs + ms) } });
    await Promise.all([dueAt(early?._id, 1_000), dueAt(late?._id, 1_001)]);
    const server = await connectMongo({ uri: stack.mongo.uri, database: stack.mongo.database });
    Object.assign(server.db ?? {}, { admin: () => ({ buildInfo: async () => buildInfo }) });
    const options = { clock: () => new Date(nowMs), leaseMs: 30_000 };
    const heads = await createDeliveryQueue(server, createPlatformFacts(), options).readHeads(
      "",
      100,
      new Date(nowMs + 1_000),
    );
    expect(heads.map(({ id }) => id)).toEqual([early?._id, late?._id].slice(0, count));
    await server.close();
    await deliveries.deleteMany({ project_client_id: clientId });
  });

  it("counts every delivery whose last lease expired, even for clients with platform events", async () => {
    const told = await queue(2);
    const untold = await queue(2);
    const now = new Date();
    const lost = { status: "sending", attempts: 8, lease_until: new Date(now.getTime() - 1) };
    await deliveries.updateMany({ project_client_id: { $in: [told, untold] } }, { $set: lost });
    const facts = createPlatformFacts();
    facts.follow({ has: (id) => id === told, ids: () => [told] });
    const queueOfBoth = createDeliveryQueue(connection, facts, { clock: () => now, leaseMs: 30_000 });
    expect(await queueOfBoth.sweepExpiredLeases(8)).toBe(4);
    expect(await queueOfBoth.sweepExpiredLeases(8)).toBe(0);
    const failed = await deliveries.find({ project_client_id: { $in: [told, untold] } }).toArray();
    expect(failed.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "failed"]);
    await deliveries.deleteMany({ project_client_id: { $in: [told, untold] } });
  });

  it("empties queues that are longer than one read without waiting for a poll, and sends each delivery once", async () => {
    const clients = await Promise.all([queue(600), queue(300), queue(3)]);
    await stack.startWorker({ DELIVERY_POLL_MS: "3600000" });
    await eventually(async () => (await Promise.all(clients.map(finishedOf))).join() === "600,300,3", {
      timeoutMs: 90_000,
      what: "all bulkheads are empty",
    });
    expect((await stack.sink.messages({ channel: "line" })).length).toBe(903);
  });

  it("claims a delivery when it becomes due, without waiting for a poll", async () => {
    const clientId = await queue(5);
    const dueAt = new Date(Date.now() + 1_500);
    await deliveries.updateMany({ project_client_id: clientId }, { $set: { due_at: dueAt } });
    await stack.startWorker({ DELIVERY_POLL_MS: "3600000" });
    await eventually(async () => (await finishedOf(clientId)) === 5, { timeoutMs: 90_000, what: "all are sent" });
    const sent = await deliveries.find({ project_client_id: clientId }).toArray();
    expect(sent.every(({ finished_at }) => finished_at >= dueAt)).toBe(true);
  });

  it("claims no more deliveries than it has permits while the record of a finished delivery is being written", async () => {
    await Promise.all([queue(60), queue(60), queue(60)]);
    stack.sink.setFault({ channel: "line", delay_ms: 20, times: 1_000 });
    await stack.startWorker({ DELIVERY_CONCURRENCY: "8" });
    let most = 0;
    await eventually(
      async () => {
        most = Math.max(most, await deliveries.countDocuments({ status: "sending", claim_id: { $exists: true } }));
        return (await deliveries.countDocuments({ status: { $in: ["pending", "sending"] } })) === 0;
      },
      { timeoutMs: 90_000, everyMs: 5, what: "all bulkheads are empty" },
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });
});
