import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { operatorCall } from "./fixture.ts";
import { eventOf, type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";
import { workerProcesses } from "./worker-processes.ts";

// These tests cover what operators do to an active subscription: pausing, deleting, replaying, redriving, and reading
// its lag.
const leaseMs = 30_000;
const since = timestampFromDate(new Date(0));

let bed: SubscriptionBed;
let workers: ReturnType<typeof workerProcesses>;
let clientId: string;

beforeAll(async () => {
  bed = await startSubscriptionBed({}, { hasWorker: false });
  workers = workerProcesses(bed.env, bed.now());
  await Promise.all([workers.start(), workers.start()]);
});
afterAll(async () => {
  while (workers.count() > 0) await workers.killOldest();
  await bed.close();
});
beforeEach(async () => {
  clientId = await bed.identity.createClient("development", 1_000_000);
  bed.target.answerWith((_, response) => void response.end());
});

const advance = (ms: number): void => {
  const time = new Date(bed.now().getTime() + ms);
  bed.setClock(time);
  workers.setClock(time);
};
const publish = async (streamId: string, from: number, to: number): Promise<void> => {
  for (let sequence = from; sequence <= to; sequence += 1) {
    await bed.publish(clientId, "order.changed", { streamId, sequence });
  }
};
const positionsAt = (): number[] => bed.eventsAt(clientId).map(({ position }) => Number(position));

test("keeps the order of a stream if the subscription is paused and resumed", async () => {
  const { id } = await bed.subscribe(clientId, { order: "stream" });
  for (let round = 0; round < 4; round += 1) {
    await publish("s", round * 10 + 1, round * 10 + 5);
    await bed.subscriptions.pauseSubscription({ subscriptionId: id }, operatorCall());
    await publish("s", round * 10 + 6, round * 10 + 10);
    await bed.subscriptions.resumeSubscription({ subscriptionId: id }, operatorCall());
  }
  await bed.shownWhen(id, ({ position }) => position === 40);
  expect(positionsAt()).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
});

test("makes no call later than a second after a subscription was deleted", async () => {
  bed.target.answerWith((_, response) => void setTimeout(() => response.end(), 50));
  const { id, operationId } = await bed.subscribe(clientId);
  await Promise.all(Array.from({ length: 600 }, () => bed.publish(clientId, "order.placed")));
  await bed.arrived(clientId, 50);
  await bed.subscriptions.deleteSubscription({ subscriptionId: id }, operatorCall());
  const deletedAtMs = performance.now();
  let last = { count: 0, atMs: deletedAtMs };
  await eventually(
    () => {
      const { length } = bed.target.arrivalsAt(`/${clientId}`);
      if (length > last.count) last = { count: length, atMs: performance.now() };
      return performance.now() > deletedAtMs + 3_000;
    },
    { everyMs: 10 },
  );
  expect(last.atMs - deletedAtMs).toBeLessThan(1_000);
  expect(last.count).toBeLessThan(600);
  const open = (await bed.runsOf(operationId)).filter(({ status }) => !["succeeded", "skipped"].includes(status));
  expect(open).toEqual([]);
});

test("replays every event of a range in the order of its streams although a worker is killed", async () => {
  const { id } = await bed.subscribe(clientId, { order: "stream", maxAttempts: 50 });
  const streams = Array.from({ length: 10 }, (_, index) => `s${index}`);
  await Promise.all(streams.map((stream) => publish(stream, 1, 30)));
  await bed.shownWhen(id, ({ position }) => position === 300);
  const replayed: { position: number; stream: string }[] = [];
  bed.target.answerWith((arrival, response) => {
    const { position, streamid } = eventOf(arrival);
    if (arrival.path === `/${clientId}`) replayed.push({ position: Number(position), stream: `${streamid}` });
    setTimeout(() => response.end(), 5);
  });
  await bed.subscriptions.replaySubscription(
    { subscriptionId: id, afterPosition: 20n, toPosition: 280n },
    operatorCall(),
  );
  await eventually(() => replayed.length >= 60);
  await workers.killOldest();
  await workers.start();
  // The leases expire, so the other workers claim the runs of the killed one, even if most of the replay is still to
  // be done.
  advance(leaseMs + 1);
  await eventually(
    () => {
      if (new Set(replayed.map(({ position }) => position)).size === 260) return true;
      advance(leaseMs + 1);
      return false;
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
  expect(Math.min(...replayed.map(({ position }) => position))).toBe(21);
  expect(Math.max(...replayed.map(({ position }) => position))).toBe(280);
  for (const stream of streams) {
    const positions = replayed.filter((one) => one.stream === stream).map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  }
  expect(await bed.show(id)).toMatchObject({ position: 300, lag: 0 });
});

test("lists failed events among the failed runs and calls them again when they are redriven", async () => {
  let isDown = true;
  bed.target.answerWith((_, response) => void response.writeHead(isDown ? 500 : 200).end());
  const { id, operationId } = await bed.subscribe(clientId, { order: "stream", maxAttempts: 1 });
  await publish("s", 1, 3);
  await bed.shownWhen(id, ({ position, failures }) => position === 3 && failures === 3);
  const failed = await bed.server.runAdmin.listFailedRuns({ projectClientId: clientId }, operatorCall());
  expect(failed.runs.map((run) => [run.operationId, run.statusCode])).toEqual(
    Array.from({ length: 3 }, () => [operationId, 500]),
  );
  isDown = false;
  const answer = await bed.server.runAdmin.redriveRuns({ projectClientId: clientId, since }, operatorCall());
  expect(answer).toMatchObject({ matched: 3, redriven: 3, skipped: 0 });
  await bed.arrived(clientId, 6);
  await bed.shownWhen(id, ({ failures }) => failures === 0);
  expect(positionsAt().slice(3).sort()).toEqual([1, 2, 3]);
  expect(await bed.show(id)).toMatchObject({ position: 3, lag: 0 });
});

test("exports the largest lag of a subscription as a metric", async () => {
  bed.target.answerWith((_, response) => void response.writeHead(500).end());
  await bed.subscribe(clientId, { maxAttempts: 50 });
  await publish("s", 1, 77);
  const worker = await createEventsWorker(readServerConfig(bed.env), { logger: silentLogger(), clock: bed.now });
  try {
    await eventually(
      async () => {
        const text = await (await fetch(`http://127.0.0.1:${worker.probePort}/metrics`)).text();
        return /^platform_events_subscription_lag(?:\{[^}]*\})? 77$/m.test(text);
      },
      { what: "the lag in the metrics" },
    );
  } finally {
    await worker.close();
  }
});
