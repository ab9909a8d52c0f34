import { create } from "@bufbuild/protobuf";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { ServerCall } from "@platform/kit/rpc/server";
import { connectMongo } from "@platform/kit/store/schema";
import { ReadEventsRequestSchema } from "@platform/proto/events/v1/events_consumer";
import type { TestMongo } from "@platform/test-kit/mongo";
import { onlyWith } from "@platform/test-kit/only-with";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readEvents } from "../src/grpc/read-events.ts";
import { noteStream, noteStreamEnd, progressOf } from "../src/store/consumer-positions.ts";
import { eventsModels } from "../src/store/models.ts";
import { startTestMongo } from "./fixture.ts";

let mongo: TestMongo;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let models: ReturnType<typeof eventsModels>;
let positions: (typeof models)["consumerPositions"];
let consumer: { id: string; bound_to: string };
const start = new Date("2026-03-01T10:00:00.000Z");
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000);

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  models = eventsModels(connection);
  positions = models.consumerPositions;
});
beforeEach(() => {
  consumer = { id: newId(), bound_to: newId() };
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const open = async (name: string, position: number, seconds: number, isPresented = true): Promise<void> =>
  noteStream(
    positions,
    { id: name.repeat(32).slice(0, 32), consumer, position, isPresented },
    { sentTo: position + 5, openUntil: at(seconds + 30), now: at(seconds) },
  );
const end = (name: string) => noteStreamEnd(positions, { id: name.repeat(32).slice(0, 32), consumer });
const position = async () => (await progressOf(positions, [consumer.id])).get(consumer.id);

test("reports the earliest position among the open streams of all processes", async () => {
  await open("a", 100, 0);
  await open("b", 500, 1);
  expect(await position()).toEqual({ position: 100, sentTo: 505 });
  await open("c", 50, 2);
  expect((await position())?.position).toBe(50);
});

test("keeps a consumer's position when its streams end, and advances it with the next acknowledgement", async () => {
  await open("a", 100, 0);
  await open("b", 500, 1);
  await end("a");
  expect((await position())?.position).toBe(100);
  await open("b", 500, 11);
  expect((await position())?.position).toBe(500);
});

test("ignores the open stream of a process that was killed half a minute ago", async () => {
  await open("a", 100, 0);
  await open("b", 500, 29);
  expect((await position())?.position).toBe(100);
  await open("b", 500, 31);
  expect((await position())?.position).toBe(500);
  const stored = await positions.findById(consumer.id).lean();
  expect(Object.keys(stored?.streams ?? {})).toHaveLength(1);
});

test("does not move the position for a stream that presented none, but keeps the events after its start", async () => {
  await open("a", 100, 0);
  await end("a");
  await open("b", 900, 1, false);
  expect((await position())?.position).toBe(100);
  await open("c", 950, 2);
  expect((await position())?.position).toBe(900);
});

test("reports the earliest position although 20 streams are opened concurrently", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => open(index.toString(16).padStart(2, "f"), 20 - index, 0)));
  expect((await position())?.position).toBe(1);
});

test("ends a consumer's stream after its maximum duration, so that its reader acknowledges events with the next call", async () => {
  const { machine, token } = await models.consumers.issue(newId(), "", start);
  const stream = readEvents(models.event, {
    ...models,
    closing: new AbortController().signal,
    clock: () => start,
    disabledClients: Promise.resolve({ has: () => false }),
    streamMsMax: 1,
  });
  const { signal } = new AbortController();
  const call = onlyWith<ServerCall>({ signal, authorization: `Bearer ${token}`, logger: silentLogger() });
  const request = create(ReadEventsRequestSchema, { projectClientId: machine.bound_to, afterPosition: 0n });
  expect(await Array.fromAsync(stream(request, call))).toEqual([]);
  const stored = await positions.findById(machine.id).lean();
  expect([stored?.position, Object.keys(stored?.streams ?? {})]).toEqual([0, []]);
});
