import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { callFor, operatorCall } from "./fixture.ts";
import { eventOf, type SubscriptionBed, startSubscriptionBed } from "./subscription-fixture.ts";

/** Number of events that fail. It is more than the unfinished runs that one subscription may have. */
const stuckEvents = 1_100;
/**
 * Number of events that are delivered one after the other before the test ends. It is far more than the unfinished
 * runs that a stream may have.
 */
const drained = 100;
const day = 86_400;

let bed: SubscriptionBed;
let clientId: string;
let isDown: boolean;
let answered: { stream: string; position: number }[];

beforeAll(async () => {
  bed = await startSubscriptionBed();
});
afterAll(() => bed.close());
beforeEach(async () => {
  clientId = await bed.identity.createClient("development", 1_000_000);
  isDown = true;
  answered = [];
  bed.target.answerWith((arrival, response) => {
    const { streamid, position } = eventOf(arrival);
    const isRefused = isDown && streamid === "stuck";
    if (!isRefused) answered.push({ stream: `${streamid}`, position: Number(position) });
    response.writeHead(isRefused ? 500 : 200).end();
  });
});

/** Publishes `count` events of a stream. Resolves when all of them have their positions. */
async function publishStream(streamId: string, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      bed.server.events.publishDomainEvent(
        { type: "order.changed", schemaVersion: 1, dataJson: "{}", streamId, sequence: BigInt(index + 1) },
        callFor(clientId),
      ),
    ),
  );
}

const positionsOf = (stream: string): number[] =>
  answered.filter((one) => one.stream === stream).map(({ position }) => position);

/** The position up to which every event was delivered. */
function answeredTo(): number {
  const positions = new Set(answered.map(({ position }) => position));
  let last = 0;
  while (positions.has(last + 1)) last += 1;
  return last;
}

test("delivers other streams while a stream with too many unfinished events fails, and later delivers that stream in order", async () => {
  const { id } = await bed.subscribe(clientId, { order: "stream", maxAttempts: 50 });
  await publishStream("stuck", stuckEvents);
  for (const stream of ["a", "b", "c"]) await publishStream(stream, 30);
  await eventually(() => answered.length === 90, { timeoutMs: 60_000, what: "every event of the other streams" });
  expect(await bed.show(id)).toMatchObject({ position: 0, lag: stuckEvents + 90 });

  isDown = false;
  bed.advance(day);
  const ahead: number[] = [];
  await eventually(
    async () => {
      const { position } = await bed.show(id);
      if (position > answeredTo()) ahead.push(position);
      return position >= drained;
    },
    { timeoutMs: 120_000, what: "the beginning of the stream" },
  );
  expect(ahead, "positions shown before all up to them was answered").toEqual([]);
  expect(positionsOf("stuck").slice(0, drained)).toEqual(Array.from({ length: drained }, (_, index) => index + 1));
  await bed.subscriptions.deleteSubscription({ subscriptionId: id }, operatorCall());
});

test("delivers a held stream's new events in order while older ones wait", async () => {
  const { id } = await bed.subscribe(clientId, { order: "stream", maxAttempts: 50 });
  await publishStream("stuck", 60);
  await eventually(async () => (await bed.show(id)).failures === 1);
  isDown = false;
  bed.advance(day);
  // These events are published while the held ones are being delivered.
  for (let sequence = 61; sequence <= 120; sequence += 1) {
    await bed.publish(clientId, "order.changed", { streamId: "stuck", sequence });
  }
  await eventually(async () => (await bed.show(id)).position === 120, { timeoutMs: 120_000 });
  expect(positionsOf("stuck")).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
});

test("replays other streams while one stream of the replay fails, and later replays that stream in order", async () => {
  isDown = false;
  const { id } = await bed.subscribe(clientId, { order: "stream", maxAttempts: 50 });
  await publishStream("stuck", 80);
  await publishStream("a", 10);
  await eventually(async () => (await bed.show(id)).position === 90, { timeoutMs: 120_000 });
  isDown = true;
  answered = [];
  await bed.subscriptions.replaySubscription({ subscriptionId: id, afterPosition: 0n }, operatorCall());
  await eventually(() => positionsOf("a").length === 10, { timeoutMs: 60_000 });
  await publishStream("b", 10);
  await eventually(() => positionsOf("b").length === 10, { timeoutMs: 60_000 });
  expect(positionsOf("stuck")).toEqual([]);
  isDown = false;
  bed.advance(day);
  await eventually(() => positionsOf("stuck").length === 80, { timeoutMs: 120_000 });
  const positions = positionsOf("stuck");
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
});
