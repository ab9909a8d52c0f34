import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { StoredDocument } from "@platform/kit/store/documents";
import type { TestMongo } from "@platform/test-kit/mongo";
import { MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { callFor, operatorCall, startTestMongo, startTestServer, testConfig } from "./fixture.ts";

type Event = { _id: string; project_client_id: string; position?: number; unnumbered?: boolean };
type Worker = Awaited<ReturnType<typeof createEventsWorker>>;

let mongo: TestMongo;
let driver: MongoClient;
let server: Awaited<ReturnType<typeof startTestServer>>;
let workers: Worker[] = [];
let clientId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  driver = await MongoClient.connect(mongo.uri);
  server = await startTestServer(mongo);
});
beforeEach(() => {
  clientId = newId();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});
afterAll(async () => {
  await server.close();
  await driver.close();
  await mongo.close();
});

const startWorker = async (): Promise<void> => {
  workers.push(await createEventsWorker(testConfig(mongo), { logger: silentLogger() }));
};
const events = () => driver.db(mongo.database).collection<Event>("domain_events");
const heads = () => driver.db(mongo.database).collection<StoredDocument>("event_log_heads");

async function publish(type = "order.placed"): Promise<string> {
  const { event } = await server.events.publishDomainEvent(
    { type, schemaVersion: 1, dataJson: "{}" },
    callFor(clientId),
  );
  return event?.id ?? "";
}

async function publishMany(count: number, publishers: number, type?: string): Promise<string[]> {
  const each = Array.from({ length: publishers }, async () => {
    const ids: string[] = [];
    for (let index = 0; index < count / publishers; index += 1) ids.push(await publish(type));
    return ids;
  });
  return (await Promise.all(each)).flat();
}

/** Reads until `count` messages have arrived, then disconnects like a killed reader. */
async function read(count: number, request: { afterPosition?: bigint; types?: string[] } = { afterPosition: 0n }) {
  const abort = new AbortController();
  const answers: { position: number; id: string | null }[] = [];
  for await (const answer of server.consumer.readEvents(
    { projectClientId: clientId, ...request },
    operatorCall(abort.signal),
  )) {
    answers.push({ position: Number(answer.position), id: answer.event?.id ?? null });
    if (answers.length === count) break;
  }
  abort.abort();
  return answers;
}

const positionsOf = (answers: readonly { position: number }[]): number[] => answers.map(({ position }) => position);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe("positions in a client's log", () => {
  test("numbers each event once from 1 without gaps, with three workers and many publishing clients", async () => {
    const clients = [newId(), newId(), newId()];
    await Promise.all([startWorker(), startWorker(), startWorker()]);
    await Promise.all(
      clients.map(async (id) => {
        const publishing = Array.from({ length: 200 }, () =>
          server.events.publishDomainEvent({ type: "a", schemaVersion: 1, dataJson: "{}" }, callFor(id)),
        );
        await Promise.all(publishing);
      }),
    );
    for (const id of clients) {
      clientId = id;
      const answers = await read(200);
      expect(positionsOf(answers)).toEqual(upTo(200));
      expect(new Set(answers.map((answer) => answer.id)).size).toBe(200);
    }
  });

  test("assigns positions in the order in which events were acknowledged", async () => {
    await Promise.all([startWorker(), startWorker()]);
    const ids: string[] = [];
    for (let index = 0; index < 60; index += 1) ids.push(await publish());
    expect((await read(60)).map(({ id }) => id)).toEqual(ids);
  });

  test("finishes the batch of a dead worker with the same positions", async () => {
    const ids = await publishMany(5, 1);
    // Creates the state after a crash: the head names the batch, but only the position of its second event was
    // written.
    await heads().insertOne({
      _id: clientId,
      revision: 1,
      position: 3,
      batch: ids.slice(0, 3),
      fence: 0,
    });
    await events().updateOne({ _id: ids[1] ?? "" }, { $set: { position: 2 }, $unset: { unnumbered: "" } });
    await startWorker();
    expect(await read(5)).toEqual(ids.map((id, index) => ({ position: index + 1, id })));
  });
});

describe("reading a client's log", () => {
  test("stops a reader before a position that is not written yet", async () => {
    const ids = await publishMany(3, 1);
    const number = (index: number, position: number) =>
      events().updateOne({ _id: ids[index] ?? "" }, { $set: { position }, $unset: { unnumbered: "" } });
    // Creates the state in which a worker has named its batch in the head and is still writing the positions.
    await heads().insertOne({ _id: clientId, revision: 1, position: 3, batch: ids, fence: 0 });
    await number(0, 1);
    await number(2, 3);
    expect(await read(1)).toEqual([{ position: 1, id: ids[0] }]);
    const rest = read(2, { afterPosition: 1n });
    await number(1, 2);
    expect(positionsOf(await rest)).toEqual([2, 3]);
  });

  test("returns only new events when no position is given", async () => {
    await startWorker();
    await publishMany(3, 1);
    await read(3);
    const abort = new AbortController();
    const answers = server.consumer
      .readEvents({ projectClientId: clientId }, operatorCall(abort.signal))
      [Symbol.asyncIterator]();
    const { value: begun } = await answers.next();
    expect([begun?.position, begun?.event]).toEqual([3n, undefined]);
    const id = await publish();
    const { value: first } = await answers.next();
    expect([first?.position, first?.event?.id]).toEqual([4n, id]);
    abort.abort();
  });

  test("returns only events of the requested type, with their own positions", async () => {
    await startWorker();
    await publishMany(4, 1, "a.one");
    const wanted = await publish("b.two");
    await publishMany(2, 1, "a.one");
    const last = await publish("c.three");
    expect(await read(2, { afterPosition: 0n, types: ["b.two", "c.three"] })).toEqual([
      { position: 5, id: wanted },
      { position: 8, id: last },
    ]);
  });

  test("sends checkpoints to a reader that requests types of which there are no events", async () => {
    await startWorker();
    await publishMany(1_050, 50, "a.one");
    // The reader gets an earlier checkpoint if it reaches the end of what is numbered.
    await read(1_050);
    expect(await read(1, { afterPosition: 0n, types: ["b.two"] })).toEqual([{ position: 1_000, id: null }]);
  });

  test("does not return events of another client", async () => {
    await startWorker();
    await publishMany(3, 1);
    clientId = newId();
    const id = await publish();
    expect(await read(1)).toEqual([{ position: 1, id }]);
  });

  test("shows each event once and in order to a reader that is killed and resumed repeatedly", async () => {
    await startWorker();
    const publishing = publishMany(600, 10);
    const seen: { position: number; id: string | null }[] = [];
    while (seen.length < 600) {
      const part = await read(Math.min(70, 600 - seen.length), { afterPosition: BigInt(seen.at(-1)?.position ?? 0) });
      seen.push(...part);
    }
    expect(positionsOf(seen)).toEqual(upTo(600));
    expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(await publishing));
  });
});
