import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ReplicatedStack, startReplicatedStack } from "./replicated-stack.ts";

let platform: ReplicatedStack;
beforeAll(async () => {
  platform = await startReplicatedStack();
}, 180_000);
afterAll(() => platform?.close(), 120_000);

test("every process is restarted in turn under load: no request fails, no acknowledged work is lost", async () => {
  const load = await platform.startLoad();
  const served = async (): Promise<void> => {
    const before = load.requests();
    await eventually(() => load.requests() > before + 50, { what: "the load goes on" });
  };
  await served();
  for (const name of platform.processes) {
    await platform.stack.roll(name);
    await served();
  }
  await load.stop();
  expect(load.failures).toEqual([]);

  const mongo = await MongoClient.connect(platform.stack.mongodbUri);
  try {
    const events = mongo.db("events").collection<{ _id: string }>("domain_events");
    expect(await events.countDocuments({ _id: { $in: [...load.eventIds] } })).toBe(load.eventIds.length);
    const deliveries = mongo.db("notify").collection<{ _id: string; status: string }>("deliveries");
    await eventually(
      async () =>
        (await deliveries.countDocuments({ _id: { $in: [...load.deliveryIds] }, status: "sent" })) ===
        load.deliveryIds.length,
      { timeoutMs: 60_000, everyMs: 200, what: "every acknowledged notification is delivered" },
    );
  } finally {
    await mongo.close();
  }
}, 600_000);
