import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { collectionOf } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import type { TestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { eventsModels } from "../src/store/models.ts";
import { reconcileEvents } from "../src/store/reconcile-events.ts";
import { backlogPublisher } from "./event-backlog.ts";
import { startTestMongo, testConfig } from "./fixture.ts";

let mongo: TestMongo;
let connection: Connection;
let models: ReturnType<typeof eventsModels>;
let backlog: ReturnType<typeof backlogPublisher>;
let clientId: string;
let ids: string[];

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  models = eventsModels(connection);
  await buildIndexes(connection);
  backlog = backlogPublisher(connection, { isRelayed: false });
});
beforeEach(async () => {
  clientId = newId();
  ids = [];
  for (let index = 0; index < 6; index += 1) ids.push(await backlog.publishOne(clientId));
  await whileWorking(async () => {
    await eventually(async () => (await models.event.heads.findById(clientId).lean())?.position === 6);
  });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const whileWorking = async (work: () => Promise<void>): Promise<void> => {
  const worker = await createEventsWorker(testConfig(mongo), { logger: silentLogger() });
  await work().finally(() => worker.close());
};
const log = async () =>
  (await models.event.events.find({ project_client_id: clientId }).sort({ position: 1 }).lean()).map(
    ({ _id, position }) => ({ _id, position }),
  );
const reconcile = async (): Promise<string> => {
  const lines: string[] = [];
  await reconcileEvents(connection, (line) => lines.push(line));
  return lines.join();
};

test("raises a head that is older than the last events of the backup, so that numbering continues", async () => {
  await collectionOf(models.event.heads).updateOne({ _id: clientId }, { $set: { position: 3, batch: [] } });
  expect(await reconcile()).toContain("1 heads raised");
  const next = await backlog.publishOne(clientId);
  await whileWorking(async () => {
    await eventually(async () => (await log()).some(({ _id, position }) => _id === next && position === 7));
  });
  expect(await reconcile()).toContain("0 heads raised, 0 events numbered, 0 events of which");
});

test("assigns the same positions again to events that had been read before their positions were written", async () => {
  const before = await log();
  await collectionOf(models.event.events).updateMany(
    { _id: { $in: ids.filter((_, index) => index === 1 || index === 3) } },
    {
      $set: { unnumbered: true },
      $unset: { position: "" },
    },
  );
  expect(await reconcile()).toContain("2 events numbered");
  expect(await log()).toEqual(before);
});

test("fills the position of an event that the backup lacks, so that readers pass it", async () => {
  await models.event.events.deleteOne({ _id: ids[2] ?? "" });
  expect(await reconcile()).toContain("1 events of which only the position is left");
  expect((await log()).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6]);
  const lost = await models.event.events.findOne({ project_client_id: clientId, position: 3 }).lean();
  expect(lost).toMatchObject({ type: "platform.domain_event.lost", origin: "platform" });
});
