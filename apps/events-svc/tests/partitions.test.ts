import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { collectionOf } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import type { Connection } from "mongoose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { partitionCount } from "../src/domain/partition.ts";
import { eventsModels } from "../src/store/models.ts";
import { findUnnumberedEvents, numberEvents, takeOverLog } from "../src/store/number-events.ts";
import { createPartitionQueue } from "../src/store/partition-leases.ts";
import { startOwnPartitions } from "../src/worker/own-partitions.ts";
import { backlogPublisher } from "./event-backlog.ts";
import { insertEventLog } from "./event-log.ts";
import { startTestMongo, testConfig, testEnv } from "./fixture.ts";
import { workerProcesses } from "./worker-processes.ts";

type Worker = Awaited<ReturnType<typeof createEventsWorker>>;

let mongo: Awaited<ReturnType<typeof startTestMongo>>;
let connection: Connection;
let models: ReturnType<typeof eventsModels>;
let backlog: ReturnType<typeof backlogPublisher>;
let workers: Worker[] = [];

// Each test has its own database, because workers share partitions with all other workers of a database.
beforeEach(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  models = eventsModels(connection);
  await buildIndexes(connection);
  backlog = backlogPublisher(connection, { isRelayed: false });
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
  await connection.close();
  await mongo.close();
});

/** Starts a worker. If its clock does not advance, its leases never expire. */
const startWorker = async (clock?: () => Date): Promise<Worker> => {
  const options = { logger: silentLogger(), ...defined({ clock }) };
  const worker = await createEventsWorker(testConfig(mongo), options);
  workers.push(worker);
  return worker;
};
const positionOf = async (id: string): Promise<number | undefined> =>
  (await models.event.events.findById(id).lean())?.position;
const lastPosition = async (clientId: string): Promise<number> =>
  (await models.event.heads.findById(clientId).lean())?.position ?? 0;
/** The number of partitions that each worker holds. */
const shares = async (): Promise<number[]> => {
  const held = await models.partitions.find({ owner: { $exists: true } }).lean();
  return [...Map.groupBy(held, ({ owner }) => owner).values()].map(({ length }) => length).toSorted((a, b) => a - b);
};

describe("the workers of events-svc", () => {
  test("numbers a client's event while 15,000 events of another client wait", async () => {
    const [busy, quiet] = [newId(), newId()];
    await backlog.publishMany(busy, 15_000);
    const id = await backlog.publishOne(quiet);
    await startWorker();
    await eventually(() => positionOf(id), { timeoutMs: 60_000, everyMs: 5 });
    // At most these were numbered: one earlier batch of 500, one concurrent batch, and the events between two polls
    // of this test.
    expect(await lastPosition(busy)).toBeLessThanOrEqual(3_000);
  });

  test("removes events past their retention as soon as they start", async () => {
    const clientId = newId();
    await insertEventLog(models, clientId, 3, 1);
    await startWorker();
    await eventually(async () => (await models.event.events.countDocuments({ project_client_id: clientId })) === 1);
  });

  test("shares the partitions equally as workers start and stop", async () => {
    const now = new Date();
    await startWorker(() => now);
    await eventually(async () => (await shares()).join() === "16");
    const second = await startWorker(() => now);
    await eventually(async () => (await shares()).join() === "8,8");
    await startWorker(() => now);
    await eventually(async () => (await shares()).join() === "4,6,6");
    await second.close();
    workers = workers.filter((worker) => worker !== second);
    await eventually(async () => (await shares()).join() === "8,8");
  });

  test("immediately claims its other partitions again after a pause in which another worker took one of them", async () => {
    let now = new Date();
    const options = { clock: () => now, logger: silentLogger() };
    const own = startOwnPartitions(models, options);
    await eventually(() => own.held().size === partitionCount);
    const later = new Date(now.getTime() + 30_000);
    const taken = await createPartitionQueue(models.partitions, "another", () => later, 60_000).claimNext();
    now = later;
    await eventually(() => own.held().size === partitionCount - 1);
    expect(own.held().has(taken?.document._id ?? -1)).toBe(false);
    await own.stop();
  });

  test("claims a partition again after its release failed and its lease ended (a database that is gone for a moment)", async () => {
    let now = new Date();
    const own = startOwnPartitions(models, { clock: () => now, logger: silentLogger() });
    await eventually(() => own.held().size === partitionCount);
    const release = vi.spyOn(models.partitions.collection, "updateOne").mockRejectedValueOnce(new Error("gone"));
    const later = new Date(now.getTime() + 30_000);
    await createPartitionQueue(models.partitions, "another", () => later, 60_000).claimNext({ _id: 5 });
    now = later;
    await eventually(() => own.held().size === partitionCount - 2);
    now = new Date(later.getTime() + 2_000);
    await eventually(() => own.held().size === partitionCount - 1);
    expect(own.held().has(5)).toBe(false);
    release.mockRestore();
    await own.stop();
  });

  test("numbers every event once, in each client's order, while owners of partitions are killed", async () => {
    const clientIds = Array.from({ length: 12 }, () => newId());
    const each = 150;
    const begin = new Date();
    const processes = workerProcesses(testEnv(mongo), begin);
    await Promise.all([processes.start(), processes.start()]);
    await eventually(async () => (await shares()).join() === "8,8");
    let published = 0;
    const publishing = Promise.all(
      clientIds.map(async (clientId) => {
        const ids: string[] = [];
        // Each event is acknowledged before the next one is published, so that their order is known.
        for (let index = 0; index < each; index += 1) {
          ids.push(await backlog.publishOne(clientId));
          published += 1;
        }
        return ids;
      }),
    );
    try {
      for (let kill = 1; kill <= 3; kill += 1) {
        await eventually(() => published >= (kill * clientIds.length * each) / 5, { timeoutMs: 60_000 });
        await processes.killOldest();
        processes.setClock(new Date(begin.getTime() + kill * 10_000));
        await processes.start();
      }
      const ids = await publishing;
      await eventually(async () => (await models.event.events.countDocuments({ unnumbered: true })) === 0, {
        timeoutMs: 60_000,
      });
      for (const [index, clientId] of clientIds.entries()) {
        const log = await models.event.events.find({ project_client_id: clientId }).sort({ position: 1 }).lean();
        expect(log.map(({ _id }) => _id)).toEqual(ids[index]);
        expect(log.map(({ position }) => position)).toEqual(ids[index]?.map((_, at) => at + 1));
      }
    } finally {
      while (processes.count() > 0) await processes.killOldest();
    }
  });
});

describe("the fencing token of a partition", () => {
  const every = new Set(Array.from({ length: partitionCount }, (_, partition) => partition));
  const read = async () => {
    const options = { clients: { after: "" }, limit: 100, isReplicaSet: false };
    const [batch] = (await findUnnumberedEvents(models.event, every, options)).batches;
    if (batch === undefined) throw new Error("no events to number");
    return batch;
  };

  test("stops a paused numbering worker whose lease has ended, even if it reads the log again", async () => {
    const clientId = newId();
    await backlog.publishMany(clientId, 2);
    const paused = await takeOverLog(models.event, clientId, 1);
    const batch = await read();
    const successor = await takeOverLog(models.event, clientId, 2);
    if (paused === null || successor === null) throw new Error("the log was not taken over");
    expect(await numberEvents(models.event, batch, successor)).toMatchObject({ position: 2, fence: 2 });
    expect(await numberEvents(models.event, batch, paused)).toBeNull();
    expect(await takeOverLog(models.event, clientId, 1)).toBeNull();
    expect(await lastPosition(clientId)).toBe(2);
  });

  test("increments the fencing token at each claim of a partition", async () => {
    const first = await startWorker();
    await eventually(async () => (await shares()).join() === "16");
    await first.close();
    workers = [];
    await startWorker();
    await eventually(async () => (await models.partitions.countDocuments({ fence: 2 })) === partitionCount);
  });
});

describe("events that were published before partitions were introduced", () => {
  test("numbers events without a partition and events with one in the order of acknowledgement", async () => {
    const clientId = newId();
    const ids: string[] = [];
    for (let index = 0; index < 10; index += 1) ids.push(await backlog.publishOne(clientId));
    const odd = ids.filter((_, index) => index % 2 === 1);
    await collectionOf(models.event.events).updateMany({ _id: { $in: odd } }, { $unset: { partition: "" } });
    await startWorker();
    // The head has the last position before it is written into the events, so the test waits for the events.
    await Promise.all(ids.map((id) => eventually(() => positionOf(id))));
    expect(await Promise.all(ids.map(positionOf))).toEqual(ids.map((_, index) => index + 1));
  });
});
