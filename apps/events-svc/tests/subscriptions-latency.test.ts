import { silentLogger } from "@platform/service-kit/process/logger";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readWorkerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { callFor } from "./fixture.ts";
import { type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

/** Set them for a longer run: SUBSCRIPTION_EVENTS=100000 SUBSCRIPTION_RATE=400. */
const events = Number(process.env.SUBSCRIPTION_EVENTS ?? 2_000);
const rate = Number(process.env.SUBSCRIPTION_RATE ?? 200);
const subscriptions = 50;
const unhealthy = 3;

let bed: SubscriptionBed;
let worker: { close(): Promise<void> };

beforeAll(async () => {
  bed = await startSubscriptionBed({}, { hasWorker: false });
  worker = await createEventsWorker(readWorkerConfig(bed.env), { logger: silentLogger() });
});
afterAll(async () => {
  await worker.close();
  await bed.close();
});

test("delivers every event to healthy targets beside two dead targets and a slow one, and prints the latencies", async () => {
  const publishedAt = new Map<string, number>();
  const arrivedAt = new Map<string, number>();
  bed.target.answerWith((arrival, response) => {
    const number = Number(arrival.path.split("/target-")[1]);
    arrivedAt.set(`${arrival.headers["webhook-id"]}`, arrivedAt.get(`${arrival.headers["webhook-id"]}`) ?? Date.now());
    if (number < 2) return;
    if (number === 2) setTimeout(() => response.end(), 2_000);
    else response.end();
  });
  const clientIds = await Promise.all(
    Array.from({ length: subscriptions }, async (_, number) => {
      const clientId = await bed.identity.createClient("development", 10_000_000);
      await bed.subscribe(clientId, { url: `${bed.target.url}/target-${number}`, order: "stream" });
      return clientId;
    }),
  );
  const healthy: string[] = [];
  const beganMs = performance.now();
  const publish = async (index: number): Promise<void> => {
    const number = index % subscriptions;
    const streamId = `s${index % 997}`;
    const request = { type: "order.changed", schemaVersion: 1, dataJson: "{}", streamId, sequence: BigInt(index + 1) };
    const { event } = await bed.server.events.publishDomainEvent(request, callFor(clientIds[number] ?? ""));
    publishedAt.set(event?.id ?? "", Date.now());
    if (number >= unhealthy) healthy.push(event?.id ?? "");
  };
  // Paced: each is due at its time, whatever became of the ones before.
  const publishing: Promise<void>[] = [];
  for (let index = 0; index < events; ) {
    const due = Math.min(events, Math.floor(((performance.now() - beganMs) / 1_000) * rate) + 1);
    while (index < due) publishing.push(publish(index++));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(publishing);
  await eventually(() => healthy.every((id) => arrivedAt.has(id)), { timeoutMs: 60_000, what: "every healthy event" });
  const seconds = (performance.now() - beganMs) / 1_000;
  const waits = healthy.map((id) => (arrivedAt.get(id) ?? 0) - (publishedAt.get(id) ?? 0)).sort((a, b) => a - b);
  const at = (part: number): number => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))] ?? 0;
  process.stdout.write(
    `${events} events in ${seconds.toFixed(1)} s, healthy targets: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms\n`,
  );
  expect(healthy.filter((id) => !arrivedAt.has(id))).toEqual([]);
}, 1_200_000);
