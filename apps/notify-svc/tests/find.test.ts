import { newId } from "@platform/kit/process/secrets";
import type { StoredDocument } from "@platform/kit/store/documents";
import { type Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callOf, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

const clientId = newId();
const endpointIds = [newId(), newId(), newId()];
const count = 3_000;
const start = Date.parse("2026-03-01T00:00:00Z");
const channels = ["email", "fcm", "apns"];
/** Maximum number of reads. A server that sorts everything that matches first reads up to four shorter periods. */
let readsOfTwoPages: number;
let stack: NotifyStack;
let mongo: MongoClient;
let db: Db;
beforeAll(async () => {
  stack = await startNotifyStack();
  mongo = await MongoClient.connect(stack.mongo.uri);
  db = mongo.db(stack.mongo.database);
  readsOfTwoPages = (await db.admin().buildInfo()).ferretdb === undefined ? 2 : 10;
  await db.collection("deliveries").insertMany(Array.from({ length: count }, (_, at) => storedDelivery(at)));
  await db.collection("delivery_endpoints").insertMany(Array.from({ length: count }, (_, at) => storedEndpoint(at)));
});
afterAll(async () => {
  await mongo.close();
  await stack.close();
});

/** A delivery as it is stored. One in a hundred has failed. */
function storedDelivery(at: number): Record<string, unknown> {
  const isFailed = at % 100 === 0;
  return {
    _id: newId(),
    project_client_id: clientId,
    kind: "intent",
    intent_id: newId(),
    idempotency_key: `key-${at}`,
    idempotency_fingerprint: "f",
    channel: channels[at % 3],
    template_key: at % 50 === 0 ? "rare" : "common",
    sender_profile_id: newId(),
    endpoint_id: endpointIds[at % 1_000 === 0 ? 0 : 1],
    ownership_generation: 1,
    purpose: null,
    verification_generation: null,
    content: isFailed ? { subject: "s", text: "t", html: null } : null,
    status: isFailed ? "failed" : "sent",
    lane: `email ${clientId} p`,
    due_at: new Date(start + at * 1000),
    give_up_at: new Date(start + at * 1000),
    attempts: 1,
    provider_status: isFailed ? "rejected" : "accepted",
    last_error_code: isFailed ? (at % 200 === 0 ? "smtp_550" : "smtp_554") : null,
    attempt_log: [],
    correlation_id: newId(),
    traceparent: null,
    created_at: new Date(start + at * 1000),
    finished_at: new Date(start + at * 1000),
  };
}

function storedEndpoint(at: number): Record<string, unknown> {
  return {
    _id: endpointIds[at] ?? newId(),
    project_client_id: clientId,
    environment: "development",
    channel: at % 100 === 0 ? "line" : "email",
    address: `person-${at}@people.example`,
    address_hash: `hash-${at}`,
    status: at % 100 === 1 ? "revoked" : "verified",
    verification: null,
    ownership_generation: 1,
    verified_at: new Date(start),
    granted_purposes: [],
    withdrawn_purposes: [],
    last_error_code: null,
    version: 1,
    created_at: new Date(start + at * 1000),
    updated_at: new Date(start),
  };
}

const list = (filter: Record<string, unknown> = {}, page: { limit?: number; cursor?: string; reveal?: boolean } = {}) =>
  stack.deliveryAdmin.listDeliveries({ filter: { projectClientId: clientId, ...filter }, ...page }, callOf(clientId));

describe("the list of deliveries", () => {
  it("pages through every delivery once, newest first", async () => {
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await list({ status: "failed" }, { limit: 7, cursor });
      seen.push(...page.deliveries.map(({ createdAt }) => String(createdAt?.seconds)));
      cursor = page.nextCursor;
    } while (cursor !== "");
    const expected = Array.from({ length: 30 }, (_, at) => String(start / 1000 + at * 100)).reverse();
    expect(seen).toEqual(expected);
  });

  it("filters deliveries by channel, status, error code, template, endpoint and time", async () => {
    expect((await list({ channel: "fcm", status: "failed" }, { limit: 200 })).deliveries).toHaveLength(10);
    expect((await list({ errorCode: "smtp_550" }, { limit: 200 })).deliveries).toHaveLength(15);
    expect((await list({ templateKey: "rare" }, { limit: 200 })).deliveries).toHaveLength(60);
    expect((await list({ endpointId: endpointIds[0] }, { limit: 200 })).deliveries).toHaveLength(3);
    const since = { seconds: BigInt(start / 1000 + 100), nanos: 0 };
    const until = { seconds: BigInt(start / 1000 + 103), nanos: 0 };
    const found = (await list({ since, until })).deliveries.map(({ createdAt }) => Number(createdAt?.seconds));
    expect(found).toEqual([102, 101, 100].map((second) => start / 1000 + second));
  });

  it.each([
    ["nothing", {}],
    ["status", { status: "failed" }],
    ["channel", { channel: "apns" }],
    ["error code", { errorCode: "smtp_554" }],
    ["template", { templateKey: "rare" }],
    ["endpoint", { endpointId: endpointIds[0] }],
  ])("reads one page of documents when it filters deliveries by %s", async (_what, filter) => {
    const first = await list(filter, { limit: 2 });
    const examined = await stack.mongo.examined("deliveries", async () => {
      await list(filter, { limit: 2 });
      await list(filter, { limit: 2, cursor: first.nextCursor });
    });
    expect(examined.length).toBeLessThanOrEqual(readsOfTwoPages);
    expect(examined.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...examined)).toBeLessThanOrEqual(5);
  });

  it("masks addresses unless they are revealed", async () => {
    const masked = await list({ endpointId: endpointIds[0] });
    expect(masked.deliveries[0]).toMatchObject({ addressHint: "…mple" });
    expect(masked.deliveries[0]?.address).toBeUndefined();
    const shown = await list({ endpointId: endpointIds[0] }, { reveal: true });
    expect(shown.deliveries[0]?.address).toBe("person-0@people.example");
  });

  it.each([
    ["a status", { filter: { projectClientId: clientId, status: "lost" } }],
    ["a channel", { filter: { projectClientId: clientId, channel: "fax" } }],
    ["a cursor", { filter: { projectClientId: clientId }, cursor: "zzz" }],
    ["a limit", { filter: { projectClientId: clientId }, limit: 201 }],
  ])("refuses a request with %s that is invalid", async (_what, request) => {
    await expect(stack.deliveryAdmin.listDeliveries(request, callOf(clientId))).rejects.toMatchObject({
      code: "contract_violation",
    });
  });

  it("rejects a client filter that is not a Project Client's id", async () => {
    const request = { filter: { projectClientId: "me" } };
    await expect(stack.deliveryAdmin.listDeliveries(request, callOf(clientId))).rejects.toMatchObject({
      code: "project_client_not_found",
    });
  });
});

describe("the list of deliveries of every client", () => {
  const other = newId();
  const anywhere = (filter: Record<string, unknown> = {}, page: { limit?: number; cursor?: string } = {}) =>
    stack.deliveryAdmin.listDeliveries({ filter, ...page }, callOf(clientId));
  beforeAll(async () => {
    const latest = { ...storedDelivery(count), project_client_id: other, channel: "line", status: "failed" };
    await db.collection("deliveries").insertOne(latest);
  });

  it("lists the deliveries of all clients newest first, each with its client", async () => {
    const { deliveries, nextCursor } = await anywhere({}, { limit: 2 });
    expect(deliveries.map(({ projectClientId }) => projectClientId)).toEqual([other, clientId]);
    const next = await anywhere({}, { limit: 2, cursor: nextCursor });
    expect(next.deliveries.map(({ createdAt }) => Number(createdAt?.seconds))).toEqual(
      [2, 3].map((back) => start / 1000 + count - back),
    );
  });

  it.each([
    ["nothing", {}],
    ["status", { status: "failed" }],
    ["channel", { channel: "line" }],
    ["error code", { errorCode: "smtp_554" }],
    ["endpoint", { endpointId: endpointIds[0] }],
  ])("reads one page of documents when it filters deliveries by %s", async (_what, filter) => {
    const first = await anywhere(filter, { limit: 2 });
    const examined = await stack.mongo.examined("deliveries", async () => {
      await anywhere(filter, { limit: 2 });
      await anywhere(filter, { limit: 2, cursor: first.nextCursor });
    });
    expect(examined.length).toBeLessThanOrEqual(readsOfTwoPages);
    expect(examined.length).toBeGreaterThanOrEqual(2);
    expect(Math.max(...examined)).toBeLessThanOrEqual(5);
  });

  it("rejects a retry of failed deliveries without a Project Client", async () => {
    const since = { seconds: 0n, nanos: 0 };
    const retried = stack.deliveryAdmin.retryDeliveries({ filter: { status: "failed", since } }, callOf(clientId));
    await expect(retried).rejects.toMatchObject({ code: "contract_violation" });
    expect((await anywhere({ status: "failed" }, { limit: 1 })).deliveries[0]?.projectClientId).toBe(other);
  });
});

describe("the list of endpoints", () => {
  const endpoints = (filter: Record<string, unknown> = {}) =>
    stack.endpointAdmin.listEndpoints({ projectClientId: clientId, limit: 2, ...filter }, callOf(clientId));

  it("filters endpoints by channel and status", async () => {
    expect((await endpoints({ channel: "line", limit: 200 })).endpoints).toHaveLength(30);
    expect((await endpoints({ status: "revoked", limit: 200 })).endpoints).toHaveLength(30);
  });

  it.each([
    ["nothing", {}],
    ["channel", { channel: "line" }],
    ["status", { status: "revoked" }],
  ])("reads one page of documents when it filters endpoints by %s", async (_what, filter) => {
    const { nextCursor: cursor } = await endpoints(filter);
    const examined = await stack.mongo.examined("delivery_endpoints", async () => {
      await endpoints(filter);
      await endpoints({ ...filter, cursor });
    });
    expect(Math.max(...examined)).toBeLessThanOrEqual(5);
  });

  it("finds an address by any spelling, and shows it only if it is revealed", async () => {
    const mailing = await prepareClient(stack, "email");
    const { endpointId } = await verifiedEndpoint(stack, "email", mailing.clientId, "ann.lee@people.example");
    const find = (reveal: boolean) =>
      stack.endpointAdmin.findEndpoints(
        { projectClientId: mailing.clientId, address: " Ann.Lee@People.Example ", reveal },
        callOf(mailing.clientId),
      );
    const { endpoints: masked } = await find(false);
    expect(masked).toMatchObject([
      { id: endpointId, channel: "email", status: "verified", addressHint: "a***@people.example" },
    ]);
    expect(masked[0]?.address).toBeUndefined();
    expect((await find(true)).endpoints[0]?.address).toBe("ann.lee@people.example");
    const examined = await stack.mongo.examined("delivery_endpoints", () => find(false));
    expect(Math.max(...examined)).toBeLessThanOrEqual(1);
  });
});

describe("the search of records", () => {
  const find = (text: string, projectClientIds: string[] = [newId(), clientId]) =>
    stack.search.findRecords({ text, projectClientIds }, callOf(""));

  it("finds a delivery by its idempotency key, and an endpoint by its id without a client", async () => {
    const { records } = await find("key-1234");
    expect(records).toMatchObject([
      { kind: "delivery", projectClientId: clientId, matched: "idempotency_key", label: "fcm sent" },
    ]);
    const [id = ""] = endpointIds;
    expect((await find(id.toUpperCase(), [])).records).toMatchObject([
      { kind: "delivery_endpoint", id, matched: "id", label: "line verified" },
    ]);
    expect((await find("key-1234", [newId()])).records).toEqual([]);
  });

  it("reads one document for each client when it searches for an idempotency key", async () => {
    const examined = await stack.mongo.examined("deliveries", () => find("key-77"));
    expect(Math.max(...examined)).toBeLessThanOrEqual(2);
  });

  it("finds a delivery by the correlation id of its request, within the day of that id", async () => {
    const { clientId: id, profileId } = await prepareClient(stack, "email");
    const { endpointId } = await verifiedEndpoint(stack, "email", id);
    await send(stack, "email", { clientId: id, profileId, endpointId });
    const stored = await db.collection<StoredDocument>("deliveries").findOne({ project_client_id: id, kind: "intent" });
    const correlationId = newId();
    await db
      .collection<StoredDocument>("deliveries")
      .updateOne({ _id: stored?._id ?? "" }, { $set: { correlation_id: correlationId } });
    expect((await find(correlationId, [id])).records).toMatchObject([
      { kind: "delivery", id: String(stored?._id), matched: "correlation_id" },
    ]);
    // The 3,000 older deliveries of the other client are not read.
    const examined = await stack.mongo.examined("deliveries", () => find(correlationId));
    expect(Math.max(...examined)).toBeLessThanOrEqual(2);
  });

  it.each([
    ["an empty text", { text: "", projectClientIds: [] }],
    ["a text that is too long", { text: "x".repeat(256), projectClientIds: [] }],
    ["clients, one of which is not an id", { text: "x", projectClientIds: [clientId, "me"] }],
    ["too many clients", { text: "x", projectClientIds: Array.from({ length: 5_001 }, () => clientId) }],
  ])("refuses a search for %s", async (_what, request) => {
    await expect(stack.search.findRecords(request, callOf(""))).rejects.toMatchObject({ code: "contract_violation" });
  });
});
