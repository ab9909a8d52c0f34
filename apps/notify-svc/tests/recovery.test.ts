import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Channel } from "../src/domain/channel.ts";
import { type NotifyStack, prepareClient, send, startNotifyStack, verifiedEndpoint } from "./notify-stack.ts";
import { spawnWorker, type WorkerProcess } from "./worker-process.ts";

const count = 1_000;

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

const deliveries = () => mongo.db(stack.mongo.database).collection("deliveries");
const countOf = (status: string): Promise<number> => deliveries().countDocuments({ status });
const start = (): WorkerProcess => {
  const worker = spawnWorker(stack.env);
  workers.push(worker);
  return worker;
};

/** Queues 1,000 deliveries to 50 endpoints. Each response of the provider takes some time. */
async function queueMany(channel: Channel): Promise<string[]> {
  const { clientId, profileId } = await prepareClient(stack, channel);
  const endpoints = await Promise.all(Array.from({ length: 50 }, () => verifiedEndpoint(stack, channel, clientId)));
  const ids: string[] = [];
  for (let index = 0; index < count; index += 50) {
    const batch = endpoints.map(({ endpointId }) => send(stack, channel, { clientId, profileId, endpointId }));
    ids.push(...(await Promise.all(batch)));
  }
  stack.sink.setFault({ channel, delay_ms: 25, times: count * 2 });
  return ids;
}

describe("a worker that is killed in the middle of 1,000 deliveries", () => {
  it.each([
    ["line", "x-line-retry-key"],
    ["email", "message-id"],
  ] as const)(
    "%s: sends all 1,000 deliveries after a kill, and repeats only those in progress, with the same identifiers",
    async (channel, header) => {
      const ids = await queueMany(channel);
      const first = start();
      await eventually(async () => (await countOf("sent")) >= count / 3, { timeoutMs: 60_000 });
      // The deliveries that the worker starts from now on are in progress when it is killed.
      stack.sink.clearFaults();
      stack.sink.setFault({ channel, delay_ms: 9_000, times: 8 });
      stack.sink.setFault({ channel, delay_ms: 25, times: count * 2 });
      await eventually(async () => (await countOf("sending")) >= 8, { timeoutMs: 60_000, everyMs: 5 });
      await first.kill();
      const inFlight = await countOf("sending");
      expect(await countOf("sent")).toBeLessThan(count);
      expect(inFlight).toBeGreaterThan(0);

      start();
      await eventually(async () => (await countOf("sent")) === count, { timeoutMs: 90_000, everyMs: 100 });
      const arrived = await stack.sink.messages({ channel });
      const named = arrived.map(({ headers }) => /[0-9a-f-]{36}/.exec(headers[header] ?? "")?.[0] ?? "");
      expect(new Set(named)).toEqual(new Set(ids));
      expect(arrived.length - count).toBeLessThanOrEqual(inFlight);
    },
  );
});

describe("a worker that is asked to stop", () => {
  it("finishes its deliveries, releases its claims and exits with 0 on SIGTERM", async () => {
    await queueMany("line");
    const first = start();
    await eventually(async () => (await countOf("sent")) >= 100, { timeoutMs: 60_000 });
    expect(await first.stop()).toBe(0);
    expect(await countOf("sending")).toBe(0);
    start();
    await eventually(async () => (await countOf("sent")) === count, { timeoutMs: 90_000, everyMs: 100 });
    expect(await stack.sink.messages({ channel: "line" })).toHaveLength(count);
  });
});

describe("two workers", () => {
  it("sends each delivery only once if two workers run", async () => {
    await queueMany("line");
    start();
    start();
    await eventually(async () => (await countOf("sent")) === count, { timeoutMs: 90_000, everyMs: 100 });
    expect(await stack.sink.messages({ channel: "line" })).toHaveLength(count);
    expect(await deliveries().countDocuments({ attempts: 1 })).toBe(count);
  });
});
