import { createHash } from "node:crypto";
import { newId } from "@platform/kit/process/secrets";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import type { TestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventModels } from "../src/store/domain-event-model.ts";
import { createEventPublisher } from "../src/store/publish-domain-event.ts";
import { operatorCall, startTestMongo, startTestServer, testEnv } from "./fixture.ts";
import { workerProcesses } from "./worker-processes.ts";

const publishers = 10;
const eventsEach = 3_000;
const events = publishers * eventsEach;
/** Number of concurrent publications of one publisher. */
const inFlight = 100;

let mongo: TestMongo;
let server: Awaited<ReturnType<typeof startTestServer>>;
let workers: ReturnType<typeof workerProcesses>;
let connection: Connection;

beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestServer(mongo);
  workers = workerProcesses(testEnv(mongo), new Date());
  await Promise.all([workers.start(), workers.start()]);
  // The publishers share their process with the database engine, which may delay them, so their connection is
  // patient.
  connection = await connectMongo({ ...mongo, isPatient: true });
  eventModels(connection);
  await buildIndexes(connection);
});
afterAll(async () => {
  await connection.close();
  while (workers.count() > 0) await workers.killOldest();
  await server.close();
  await mongo.close();
});

/** Publishes events as one replica of the service would, with `inFlight` concurrent calls. */
async function publishAll(clientId: string, note: (ids: readonly string[]) => void): Promise<void> {
  const publisher = createEventPublisher(eventModels(connection), {
    clock: () => new Date(),
    isRelayed: false,
    onPublished: () => {},
  });
  const input = {
    type: "load.test",
    schema_version: 1,
    data_json: "{}",
    stream_id: null,
    sequence: null,
    occurred_at: null,
  };
  for (let sent = 0; sent < eventsEach; sent += inFlight) {
    const published = await Promise.all(
      Array.from({ length: inFlight }, () =>
        publisher.publish(clientId, input, { key: newId(), fingerprint: "f".repeat(64) }),
      ),
    );
    note(published.map(({ event }) => event.id));
  }
}

/** Reads the log to its end. Returns a digest of the events, and the digest that the correct order would have. */
async function readAll(clientId: string): Promise<{ digest: string; ids: Set<string> }> {
  const abort = new AbortController();
  const hash = createHash("sha256");
  const ids = new Set<string>();
  let expected = 1;
  for await (const { position, event } of server.consumer.readEvents(
    { projectClientId: clientId, afterPosition: 0n },
    operatorCall(abort.signal),
  )) {
    if (Number(position) !== expected) throw new Error(`position ${position} came where ${expected} was due`);
    expected += 1;
    hash.update(event?.id ?? "");
    ids.add(event?.id ?? "");
    if (ids.size === events) break;
  }
  abort.abort();
  return { digest: hash.digest("hex"), ids };
}

test("shows 3 readers the same sequence of 30,000 events from 10 concurrent publishers", async () => {
  const clientId = newId();
  const published = new Set<string>();
  const publishing = Array.from({ length: publishers }, () =>
    publishAll(clientId, (ids) => {
      for (const id of ids) published.add(id);
    }),
  );
  const [readers] = await Promise.all([
    Promise.all([readAll(clientId), readAll(clientId), readAll(clientId)]),
    ...publishing,
  ]);
  expect(new Set(readers.map(({ digest }) => digest)).size).toBe(1);
  expect(published.size).toBe(events);
  expect(readers[0]?.ids.symmetricDifference(published).size).toBe(0);
}, 600_000);
