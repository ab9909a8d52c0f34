import { newId } from "@platform/kit/process/secrets";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventsModels } from "../src/store/models.ts";
import { createRetentionSweeps } from "../src/store/retention-sweeps.ts";
import { insertEventLog } from "./event-log.ts";

let mongo: TestMongo;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let models: ReturnType<typeof eventsModels>;
let clientId: string;
let held: Map<string, boolean>;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  models = eventsModels(connection);
  await buildIndexes(connection);
});
beforeEach(() => {
  clientId = newId();
  held = new Map();
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

const before = () => new Date(Date.now() - 365 * 86_400_000);
const eventSweep = (isOwn?: (id: string) => boolean) => {
  const onHeld = (id: string, isHeld: boolean) => void held.set(id, isHeld);
  const sweeps = createRetentionSweeps(models, async () => undefined, onHeld, isOwn);
  const sweep = sweeps.find(({ kind }) => kind === "domain_events");
  if (sweep === undefined) throw new Error("no sweep of domain_events");
  return sweep;
};
/** The positions that are left in the client's log. */
async function positions(): Promise<number[]> {
  const left = await models.event.events.find({ project_client_id: clientId }).sort({ position: 1 }).lean();
  return left.map(({ position }) => position ?? 0);
}

test("removes an event that is a millisecond too old, and keeps one at the limit and an old one after a younger one", async () => {
  await insertEventLog(models, clientId, 0, 4);
  const limit = before();
  const ages = [1, 0, -1, 1];
  for (const [index, ms] of ages.entries()) {
    const published_at = new Date(limit.getTime() - ms);
    const filter = { project_client_id: clientId, position: index + 1 };
    await models.event.events.collection.updateOne(filter, { $set: { published_at } });
  }
  const { removeBatch } = eventSweep();
  const scope = { clientId, exceptClientIds: null };
  expect(await removeBatch(scope, limit, 500)).toBe(1);
  // The fourth event is old enough, but it is kept, because a log must have no gaps.
  expect(await removeBatch(scope, new Date(limit.getTime() + 1), 500)).toBe(1);
  expect(await positions()).toEqual([3, 4]);
});

test("deletes a log whose events have all expired, and reports no event as held", async () => {
  await insertEventLog(models, clientId, 5, 0);
  expect(await eventSweep().removeBatch({ clientId, exceptClientIds: null }, before(), 500)).toBe(5);
  expect(await positions()).toEqual([]);
  expect(held.get(clientId)).toBe(false);
});

test("does not touch the logs of clients that belong to other workers, and reports none of them as held", async () => {
  const other = newId();
  await insertEventLog(models, other, 3, 1);
  await insertEventLog(models, clientId, 3, 1);
  const { removeBatch } = eventSweep((id) => id === other);
  expect(await removeBatch({ clientId, exceptClientIds: null }, before(), 500)).toBe(0);
  expect(held.get(clientId)).toBe(false);
  expect(await removeBatch({ clientId: other, exceptClientIds: null }, before(), 500)).toBe(3);
  expect(await positions()).toEqual([1, 2, 3, 4]);
});
