import { newId } from "@platform/kit/process/secrets";
import { connectGrpc, type GrpcConnection } from "@platform/kit/rpc/client";
import { ConsumerAdminService } from "@platform/proto/events/v1/consumer_admin";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import { SubscriptionAdminService } from "@platform/proto/events/v1/subscription_admin";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { operatorCall } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

let bed: SubscriptionBed;
let clientId: string;
const connections: GrpcConnection[] = [];

beforeAll(async () => {
  bed = await startSubscriptionBed();
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
});
afterAll(async () => {
  for (const connection of connections) connection.close();
  await bed.close();
});

const connectWith = (token: string): GrpcConnection => {
  const metadata = { authorization: `Bearer ${token}` };
  const connection = connectGrpc({ address: `127.0.0.1:${bed.server.grpcPort}`, tls: null, metadata });
  connections.push(connection);
  return connection;
};
const admin = () => connectWith(bed.server.config.operatorToken).service(ConsumerAdminService);
const issue = async (projectClientId = clientId) => {
  const { consumer, token } = await admin().issueConsumer({ projectClientId, name: "reports" }, operatorCall());
  return { id: consumer?.id ?? "", token };
};
/** The ids of the first events of a client that a token can read. */
const read = async (token: string, count: number, projectClientId = clientId): Promise<string[]> => {
  const stop = new AbortController();
  const ids: string[] = [];
  const consumer = connectWith(token).service(DomainEventConsumerService);
  for await (const { event } of consumer.readEvents(
    { projectClientId, afterPosition: 0n },
    operatorCall(stop.signal),
  )) {
    if (event !== undefined) ids.push(event.id);
    if (ids.length >= count) break;
  }
  stop.abort();
  return ids;
};

test("reads the events of the consumer's own client", async () => {
  const { token } = await issue();
  const id = await bed.publish(clientId, "order.placed");
  expect(await read(token, 1)).toEqual([id]);
});

test("issues 50 tokens of a client concurrently and not one more, until one is revoked", async () => {
  const issued: Awaited<ReturnType<typeof issue>>[] = [];
  for (let round = 0; round < 10; round += 1)
    issued.push(...(await Promise.all(Array.from({ length: 5 }, () => issue()))));
  const refused = { code: "contract_violation", message: expect.stringContaining("at most 50") };
  for (let time = 0; time < 2; time += 1) await expect(issue()).rejects.toMatchObject(refused);
  const { consumers } = await admin().listConsumers({ projectClientId: clientId, limit: 200 }, operatorCall());
  expect(consumers).toHaveLength(50);
  await admin().revokeConsumer({ consumerId: issued[0]?.id ?? "" }, operatorCall());
  expect((await issue()).token).toMatch(/^pcons_/);
  await expect(issue()).rejects.toMatchObject(refused);
});

test("refuses a consumer token for the events of another client", async () => {
  const other = await bed.identity.createClient();
  const { token } = await issue(other);
  await bed.publish(clientId, "order.placed");
  await expect(read(token, 1)).rejects.toMatchObject({ code: "permission_denied" });
});

test("refuses a consumer token at every operator RPC", async () => {
  const { token, id } = await issue();
  const connection = connectWith(token);
  const refused = { code: "unauthenticated" };
  const call = operatorCall();
  await expect(
    connection.service(ConsumerAdminService).issueConsumer({ projectClientId: clientId }, call),
  ).rejects.toMatchObject(refused);
  await expect(connection.service(ConsumerAdminService).rotateConsumer({ consumerId: id }, call)).rejects.toMatchObject(
    refused,
  );
  await expect(
    connection.service(SubscriptionAdminService).listSubscriptions({ projectClientId: clientId }, call),
  ).rejects.toMatchObject(refused);
  await expect(
    connection.service(ScheduledOperationAdminService).listScheduledOperations({ projectClientId: clientId }, call),
  ).rejects.toMatchObject(refused);
});

test.each([
  ["of an unknown consumer", () => `pcons_${newId().replaceAll("-", "")}_${"0".repeat(64)}`],
  ["with a wrong secret", async () => (await issue()).token.replace(/.{64}$/, "0".repeat(64))],
])("refuses a consumer token %s", async (_, tokenOf) => {
  await expect(read(await tokenOf(), 1)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("accepts the previous token after a rotation until the overlap ends", async () => {
  const { id, token } = await issue();
  const eventId = await bed.publish(clientId, "order.placed");
  const rotated = await admin().rotateConsumer({ consumerId: id, overlapSeconds: 60n }, operatorCall());
  expect(rotated.consumer?.id).toBe(id);
  expect(await read(token, 1)).toEqual([eventId]);
  expect(await read(rotated.token, 1)).toEqual([eventId]);
  bed.advance(61);
  await expect(read(token, 1)).rejects.toMatchObject({ code: "unauthenticated" });
  expect(await read(rotated.token, 1)).toEqual([eventId]);
});

test("ends an open stream when its consumer is revoked, and refuses a new one", async () => {
  const { id, token } = await issue();
  await bed.publish(clientId, "order.placed");
  // The expectation is registered before the revocation, because the stream may end before the revocation returns.
  const ended = expect(read(token, 2)).rejects.toMatchObject({ code: "unauthenticated" });
  await read(token, 1);
  await admin().revokeConsumer({ consumerId: id }, operatorCall());
  await ended;
  await expect(read(token, 1)).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(admin().rotateConsumer({ consumerId: id }, operatorCall())).rejects.toThrow("no such consumer");
});

test("ends a stream when its Project Client is disabled", async () => {
  const { token } = await issue();
  await bed.publish(clientId, "order.placed");
  const ended = expect(read(token, 2)).rejects.toMatchObject({ code: "project_client_disabled" });
  await read(token, 1);
  await bed.identity.disableClient(clientId);
  await ended;
});

test("stores a consumer's token only as a hash, and never lists it", async () => {
  const { id, token } = await issue();
  const secret = token.slice(-64);
  const { consumers } = await admin().listConsumers({ projectClientId: clientId }, operatorCall());
  expect(consumers.map((consumer) => consumer.id)).toEqual([id]);
  const driver = await MongoClient.connect(bed.mongo.uri);
  const stored = await driver.db(bed.mongo.database).collection("event_consumers").find({}).toArray();
  await driver.close();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(secret);
});
