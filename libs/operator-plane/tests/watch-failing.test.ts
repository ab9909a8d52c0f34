import { silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import type { Connection } from "mongoose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noticeFact, watchFailing } from "../src/doors/platform-events.ts";

let mongo: TestMongo;
let connection: Connection;
beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

test("reports a resource once its work has failed for an hour, and again if it fails for an hour after a success", async () => {
  const things = connection.collection<{ _id: string; [field: string]: unknown }>("things");
  await things.insertOne({ _id: "thing", project_client_id: "client", status: "active" });
  const time = { now: new Date("2026-03-01T10:00:00.000Z") };
  const advance = (ms: number): void => {
    time.now = new Date(time.now.getTime() + ms);
  };
  const start = () =>
    watchFailing(
      { collection: things },
      {
        resource: "subscription",
        active: { status: "active" },
        data: () => ({ operation_id: "operation" }),
        facts: { notice: (_clientId, fact, at) => noticeFact(fact, at, false) },
        clock: () => time.now,
        logger: silentLogger(),
        everyMs: 5,
      },
    );
  // Each of the two workers must read what the other one has recorded.
  const [one, other] = [start(), start()];
  const read = async () => await things.findOne({ _id: "thing" });
  const told = async (): Promise<any[]> => ((await read())?.platform_events ?? []) as any[];
  await one.note("thing", false);
  advance(3_599_999);
  await other.note("thing", false);
  expect((await read())?.failing_since).toEqual(new Date("2026-03-01T10:00:00.000Z"));
  expect(await told()).toEqual([]);
  advance(1);
  await eventually(async () => (await told()).length === 1);
  expect((await told())[0]).toMatchObject({
    type: "platform.subscription.failing",
    audience: "contacts",
    data_json: expect.stringContaining('"failing_since":"2026-03-01T10:00:00.000Z"'),
  });
  await other.note("thing", true);
  expect((await read())?.failing_since).toBeUndefined();
  await eventually(async () => {
    await one.note("thing", false);
    return (await read())?.failing_since !== undefined;
  });
  advance(3_600_000);
  await eventually(async () => (await told()).length === 2);
  await Promise.all([one.stop(), other.stop()]);
});
