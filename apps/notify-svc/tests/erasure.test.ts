import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { untypedCollection } from "@platform/test-kit/documents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressHash } from "../src/domain/address.ts";
import { createNotifyEraser } from "../src/store/erase-notify.ts";
import { createStores } from "../src/store/stores.ts";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

let stack: NotifyStack;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let stores: ReturnType<typeof createStores>;
beforeAll(async () => {
  stack = await startNotifyStack();
  connection = await connectMongo({ uri: stack.mongo.uri, database: stack.mongo.database });
  stores = createStores(connection, { current: Buffer.alloc(32), previous: [] });
  await buildIndexes(connection);
});
afterAll(async () => {
  await connection.close();
  await stack.close();
});

const { signal } = new AbortController();
/** Everything in the database, as text. The usage counts are excluded, because processes keep writing them. */
const stored = async (): Promise<string> => {
  const models = Object.values(connection.models).filter(({ modelName }) => modelName !== "UsageCount");
  return JSON.stringify(await Promise.all(models.map((model) => model.collection.find({}).toArray())));
};

describe("an erased person", () => {
  it("removes an erased person's address from every client, and sends nothing that was queued", async () => {
    const address = "ann.erased@people.example";
    const [one, other] = [await prepareClient(stack, "email"), await prepareClient(stack, "email")];
    const first = await verifiedEndpoint(stack, "email", one.clientId, address);
    await verifiedEndpoint(stack, "email", other.clientId, address);
    const kept = await verifiedEndpoint(stack, "email", other.clientId, "ben@people.example");
    const deliveryId = await send(stack, "email", { ...one, endpointId: first.endpointId });
    const captured = {
      deliveryId,
      projectClientId: one.clientId,
      endpointId: first.endpointId,
      channel: "email",
    } as const;
    const content = { subject: "s", text: "t", html: null, token: null, unsubscribeUrl: null, payload: {} };
    await stores.captured.keep({ ...captured, toHint: "an…@people.example", at: new Date() }, content);
    const eraser = createNotifyEraser(connection);
    expect(await eraser.erasePerson([address], new Date(), signal)).toBe(2);
    expect(await eraser.erasePerson([address], new Date(), signal)).toBe(0);
    expect(await stored()).not.toContain(address);
    expect(await stores.captured.find(deliveryId)).toBeNull();
    // No hash may be left either: neither of the address nor of a request that contains it (dictionary attack).
    const left = await untypedCollection(connection.model("Delivery")).findOne({ _id: deliveryId });
    expect(left).toMatchObject({ content: null, idempotency_fingerprint: "erased" });
    expect(await stored()).not.toContain(addressHash("email", address));
    const worker = await stack.startWorker();
    expect(await finished(stack, one.clientId, deliveryId)).toMatchObject({
      status: "failed",
      lastErrorCode: "delivery_endpoint_revoked",
    });
    await worker.close();
    expect(await stack.sink.messages({ channel: "email", to: address })).toEqual([]);
    expect(await stored()).toContain("ben@people.example");
    // A later owner of the address registers it again.
    const anew = await verifiedEndpoint(stack, "email", one.clientId, address);
    expect([first.endpointId, kept.endpointId]).not.toContain(anew.endpointId);
  });
});

describe("an erased Project Client", () => {
  it("removes everything of an erased client, and nothing of another client", async () => {
    const [gone, other] = [await prepareClient(stack, "email"), await prepareClient(stack, "email")];
    const { endpointId } = await verifiedEndpoint(stack, "email", gone.clientId, "cleo@people.example");
    await send(stack, "email", { ...gone, endpointId });
    const eraser = createNotifyEraser(connection);
    expect(await eraser.eraseClient(gone.clientId, signal)).toBe(5);
    expect(await eraser.eraseClient(gone.clientId, signal)).toBe(0);
    const left = await stored();
    expect(left).not.toContain(gone.clientId);
    expect(left).toContain(other.clientId);
  });
});
