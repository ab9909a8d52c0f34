import { createServer, type Server, type Socket } from "node:net";
import { newId } from "@platform/kit/process/secrets";
import { eventually } from "@platform/test-kit/eventually";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { finished, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";

const backlog = 50_000;

let stack: NotifyStack;
let mongo: MongoClient;
let hangingServer: Server;
const sockets = new Set<Socket>();
beforeAll(async () => {
  stack = await startNotifyStack();
  mongo = await MongoClient.connect(stack.mongo.uri);
  // Accepts connections and never answers.
  hangingServer = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => hangingServer.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => hangingServer.close(resolve));
  await mongo.close();
  await stack.close();
});

/** Gives a client `backlog` queued deliveries to a mail server that hangs: one by the API, the rest as copies of it. */
async function queueToHangingServer(): Promise<void> {
  const { port } = hangingServer.address() as { port: number };
  const { clientId, profileId } = await prepareClient(stack, "email", { smtp_url: `smtp://127.0.0.1:${port}` });
  const endpoints = await Promise.all(Array.from({ length: 50 }, () => verifiedEndpoint(stack, "email", clientId)));
  const [first] = endpoints;
  await send(stack, "email", { clientId, profileId, endpointId: first?.endpointId ?? "" });
  const deliveries = mongo.db(stack.mongo.database).collection<Document & { _id: string }>("deliveries");
  const model = await deliveries.findOne({ project_client_id: clientId });
  for (let made = 0; made < backlog; made += 5_000) {
    const copies = Array.from({ length: 5_000 }, (_, index) => ({
      ...model,
      _id: newId(),
      endpoint_id: endpoints[index % endpoints.length]?.endpointId,
      idempotency_key: `email:${newId()}`,
    }));
    await deliveries.insertMany(copies);
  }
}

type Client = { clientId: string; profileId: string; endpointId: string; address: string };

/**
 * Lets every client send one mail at the same time.
 * @returns the results, and the longest delivery time in ms
 */
async function sendOneEach(clients: readonly Client[]): Promise<{ statuses: Set<unknown>; slowestMs: number }> {
  const results = await Promise.all(
    clients.map(async (client) => {
      const acceptedAt = Date.now();
      const deliveryId = await send(stack, "email", client);
      const delivery = await finished(stack, client.clientId, deliveryId);
      const messages = await stack.sink.messages({ channel: "email", to: client.address });
      const receivedAt = Math.max(...messages.map(({ received_at }) => Date.parse(received_at)));
      return { status: delivery.status, tookMs: receivedAt - acceptedAt };
    }),
  );
  return {
    statuses: new Set(results.map(({ status }) => status)),
    slowestMs: Math.max(...results.map(({ tookMs }) => tookMs)),
  };
}

describe("20 clients, one with 50,000 deliveries queued to a provider that hangs", () => {
  it("sends other clients' deliveries within 2 seconds beside one with 50,000 queued to a hanging provider", async () => {
    const others = await Promise.all(
      Array.from({ length: 19 }, async () => {
        const ids = await prepareClient(stack, "email");
        return { ...ids, ...(await verifiedEndpoint(stack, "email", ids.clientId)) };
      }),
    );
    await stack.startWorker();
    const before = await sendOneEach(others);
    await queueToHangingServer();
    await eventually(() => sockets.size > 0, { what: "the hanging provider is being tried" });
    const beside = await sendOneEach(others);
    expect(beside.statuses).toEqual(new Set(["sent"]));
    expect(beside.slowestMs).toBeLessThan(Math.max(2_000, 2 * before.slowestMs));
  });
});
