import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import { connectionsMax } from "../src/providers/sender.ts";
import { callOf, type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";
import { spawnWorker, type WorkerProcess } from "./worker-process.ts";

/** Number of deliveries. It is more than a bulkhead of any channel has connections. */
const count = 120;

let stack: NotifyStack;
let mongo: MongoClient;
let workers: WorkerProcess[];
beforeEach(async () => {
  stack = await startNotifyStack({ env: { DELIVERY_LEASE_MS: "3000" } });
  mongo = await MongoClient.connect(stack.mongo.uri);
  workers = [];
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await mongo.close();
  await stack.close();
});

const countOf = (status: string): Promise<number> =>
  mongo.db(stack.mongo.database).collection("deliveries").countDocuments({ kind: "intent", status });
const start = (): WorkerProcess => {
  const worker = spawnWorker(stack.env);
  workers.push(worker);
  return worker;
};
const allSent = (expected: number): Promise<boolean> =>
  eventually(async () => (await countOf("sent")) === expected, { timeoutMs: 90_000, what: "all are sent" });

const isSent = async (clientId: string, deliveryId: string): Promise<void> => {
  await eventually(
    async () =>
      (await stack.notifications.getNotificationDelivery({ deliveryId }, callOf(clientId))).delivery?.status === "sent",
    { timeoutMs: 90_000, what: "the last delivery is sent" },
  );
};

/**
 * The messages after the first `before` ones that do not belong to the given delivery. Each provider receives the
 * delivery's id in a different field.
 */
async function othersThan(deliveryId: string, channel: Channel, before: number): Promise<unknown[]> {
  const bare = (text: string): string => text.replaceAll("-", "");
  const arrived = (await stack.sink.messages({ channel })).slice(before);
  return arrived.filter((message) => !bare(JSON.stringify(message)).includes(bare(deliveryId)));
}

/** Queues deliveries to separate endpoints, so that a worker may send all of them concurrently. */
async function queue(channel: Channel, deliveries: number, more: Record<string, unknown> = {}) {
  const { clientId, profileId } = await prepareClient(stack, channel, more);
  const inProcess = await stack.startWorker();
  const endpoints = await Promise.all(
    Array.from({ length: deliveries }, () => verifiedEndpoint(stack, channel, clientId)),
  );
  await inProcess.close();
  stack.sink.clear();
  const sendTo = ({ endpointId }: { endpointId: string }) => send(stack, channel, { clientId, profileId, endpointId });
  await Promise.all(endpoints.map(sendTo));
  return { clientId, sendOneMore: () => sendTo(endpoints[0] as { endpointId: string }) };
}

describe("a worker that is paused beyond its leases and resumed", () => {
  it.each(["email", "fcm", "apns", "line", "web_push"] as const)(
    "%s: sends no message that another worker has sent during the pause",
    async (channel) => {
      const { clientId, sendOneMore } = await queue(channel, count);
      const connections = connectionsMax[channel];
      stack.sink.setFault({ channel, delay_ms: 600_000, times: connections });
      const arrivedAtSink = async (): Promise<number> => (await stack.sink.messages({ channel })).length;
      const paused = start();
      // Every connection waits for its response, so the worker does not start its other claims.
      await eventually(async () => (await arrivedAtSink()) === connections, { timeoutMs: 60_000, everyMs: 5 });
      paused.pause();
      // The responses arrive while the process is paused.
      stack.sink.clearFaults();
      expect(await countOf("sent")).toBe(0);

      const other = start();
      await allSent(count);
      expect(await other.stop()).toBe(0);
      const before = await arrivedAtSink();
      paused.resume();
      // Once the worker has sent the last queued message, it has resumed and processed its queue.
      const last = await sendOneMore();
      await isSent(clientId, last);
      expect(await paused.stop()).toBe(0);
      expect(await othersThan(last, channel, before)).toEqual([]);
    },
  );
});

describe("a worker that is paused while it connects", () => {
  /** A proxy in front of a mail server that withholds the greeting until the test releases it. */
  class LateGreeter {
    isLate = true;
    readonly #sockets = new Set<Socket>();
    readonly #waiting: (() => void)[] = [];
    readonly #server: Server;
    constructor(port: number) {
      this.#server = createServer((socket) => {
        const begin = (): void => {
          const upstream = connect(port, "127.0.0.1");
          this.#keep(upstream);
          socket.pipe(upstream).pipe(socket);
        };
        this.#keep(socket);
        if (this.isLate) this.#waiting.push(begin);
        else begin();
      });
    }
    get waiting(): number {
      return this.#waiting.length;
    }
    async listen(): Promise<string> {
      await once(this.#server.listen(0, "127.0.0.1"), "listening");
      return `smtp://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
    }
    greetAll(): void {
      this.isLate = false;
      for (const begin of this.#waiting.splice(0)) begin();
    }
    close(): void {
      for (const socket of this.#sockets) socket.destroy();
      this.#server.close();
    }
    #keep(socket: Socket): void {
      this.#sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
  }

  it("sends nothing if it was paused while connecting and its lease has ended", async () => {
    const greeter = new LateGreeter(Number(new URL(stack.sink.smtpUrl).port));
    try {
      const { clientId, sendOneMore } = await queue("email", 10, { smtp_url: await greeter.listen() });
      const paused = start();
      await eventually(() => greeter.waiting === 10, { what: "ten connections" });
      paused.pause();
      greeter.isLate = false;
      const other = start();
      await allSent(10);
      expect(await other.stop()).toBe(0);
      const before = (await stack.sink.messages({ channel: "email" })).length;
      greeter.greetAll();
      paused.resume();
      const last = await sendOneMore();
      await isSent(clientId, last);
      expect(await paused.stop()).toBe(0);
      expect(await othersThan(last, "email", before)).toEqual([]);
    } finally {
      greeter.close();
    }
  });
});
