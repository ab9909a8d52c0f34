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
let endedCalls = 0;
beforeAll(async () => {
  stack = await startNotifyStack();
  mongo = await MongoClient.connect(stack.mongo.uri);
  // The server greets like a mail server and then never responds.
  hangingServer = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.write("220 mail.example\r\n");
    socket.on("close", () => {
      sockets.delete(socket);
      endedCalls += 1;
    });
  });
  await new Promise<void>((resolve) => hangingServer.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => hangingServer.close(resolve));
  await mongo.close();
  await stack.close();
});

/**
 * Queues `backlog` deliveries of one client to a mail server that hangs. One is created through the API, the rest are
 * copies of it.
 */
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

type Client = { clientId: string; profileId: string; endpointId: string };

/** Lets every client send one email at the same time, and waits for all of them. */
async function sendOneEach(clients: readonly Client[]): Promise<Set<unknown>> {
  const statuses = await Promise.all(
    clients.map(async (client) => {
      const deliveryId = await send(stack, "email", client);
      return (await finished(stack, client.clientId, deliveryId)).status;
    }),
  );
  return new Set(statuses);
}

describe("20 clients, one of which has 50,000 deliveries queued to a provider that hangs", () => {
  it("sends the other clients' deliveries before a single call to the hanging provider has ended", async () => {
    const others = await Promise.all(
      Array.from({ length: 19 }, async () => {
        const ids = await prepareClient(stack, "email");
        return { ...ids, ...(await verifiedEndpoint(stack, "email", ids.clientId)) };
      }),
    );
    // The provider's response time is longer than `eventually` waits, so no call to the hanging provider ends and
    // releases its permit during the test.
    await stack.startWorker({ PROVIDER_ANSWER_MS: "300000" });
    await queueToHangingServer();
    await eventually(() => sockets.size > 0, { what: "the hanging provider is being tried" });
    expect(await sendOneEach(others)).toEqual(new Set(["sent"]));
    expect(endedCalls).toBe(0);
  });
});
