import { silentLogger } from "@platform/kit/process/telemetry";
import type { StoredDocument } from "@platform/kit/store/documents";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createEventsWorker } from "../src/create-events-worker.ts";
import { operatorCall } from "./fixture.ts";
import { type ScheduleBed, startScheduleBed } from "./schedule-fixture.ts";

let bed: ScheduleBed;
let second: Awaited<ReturnType<typeof createEventsWorker>>;
let driver: MongoClient;
let clientId: string;
/**
 * `called` contains the scheduled times of the calls that have arrived, and `openMax` the maximum number of
 * concurrent ones.
 */
let called: string[];
let openMax: number;
/** The scheduled times whose next call gets a 503. After that, the target responds with 204. */
let refused: Set<string>;

const minute = (time: string): string => `2026-03-02T${time}:00.000Z`;

beforeAll(async () => {
  bed = await startScheduleBed();
  second = await createEventsWorker(readServerConfig(bed.env), { logger: silentLogger(), clock: bed.now });
  driver = await MongoClient.connect(bed.mongo.uri);
});
beforeEach(async () => {
  clientId = await bed.identity.createClient();
  bed.setClock("2026-03-02T12:00:30.000Z");
  called = [];
  openMax = 0;
  refused = new Set();
  let open = 0;
  bed.target.answerWith(({ path, body }, response) => {
    // Operations of earlier tests may be due as well; their calls succeed.
    if (path !== `/${clientId}`) return void response.writeHead(204).end();
    const { scheduled_for } = JSON.parse(body.toString("utf8")) as { scheduled_for: string };
    called.push(scheduled_for);
    open += 1;
    openMax = Math.max(openMax, open);
    setImmediate(() => {
      open -= 1;
      // The retry is two and a half minutes later, so the run takes longer than the interval of its schedule.
      if (refused.delete(scheduled_for)) response.writeHead(503, { "Retry-After": "150" }).end();
      else response.writeHead(204).end();
    });
  });
});
afterAll(async () => {
  await driver.close();
  await second.close();
  await bed.close();
});

/** Registers an operation that is due every minute and whose run of 12:01 has to be retried. */
async function startLongRun(overlap?: string): Promise<string> {
  const operationId = await bed.register(clientId);
  const schedule = { operationId, cron: "* * * * *", timezone: "UTC" };
  await bed.server.scheduleAdmin.setScheduledOperationCron(
    overlap === undefined ? schedule : { ...schedule, overlap },
    operatorCall(),
  );
  refused.add(minute("12:01"));
  bed.setClock(minute("12:01"));
  await statusWhen(operationId, "12:01", "pending", 1);
  return operationId;
}
const statusWhen = (operationId: string, time: string, status: string, attempts?: number) =>
  bed.runWhen(
    operationId,
    (run) =>
      run.scheduledFor === minute(time) &&
      run.status === status &&
      (attempts === undefined || run.attempts.length === attempts),
  );

describe("two workers, and a run that has not ended when the next one is due", () => {
  test("starts the next run concurrently with the overlap policy allow", async () => {
    const operationId = await startLongRun();
    bed.setClock(minute("12:02"));
    await statusWhen(operationId, "12:02", "succeeded");
    expect((await bed.runsOf(operationId)).map(({ status }) => status)).toEqual(["succeeded", "pending"]);
  });

  test("skips the next run with the overlap policy skip, and resumes when the current run has ended", async () => {
    const operationId = await startLongRun("skip");
    for (const time of ["12:02", "12:03"]) {
      bed.setClock(minute(time));
      expect(await statusWhen(operationId, time, "skipped")).toMatchObject({ error: "overlap", attempts: [] });
    }
    bed.setClock("2026-03-02T12:03:50.000Z");
    await statusWhen(operationId, "12:01", "succeeded", 2);
    bed.setClock(minute("12:04"));
    await statusWhen(operationId, "12:04", "succeeded");
    expect(called).toEqual(["12:01", "12:01", "12:04"].map(minute));
  });

  test("executes later runs one after the other with the overlap policy queue", async () => {
    const operationId = await startLongRun("queue");
    for (const time of ["12:02", "12:03"]) {
      bed.setClock(minute(time));
      await statusWhen(operationId, time, "waiting");
    }
    bed.setClock("2026-03-02T12:03:50.000Z");
    await statusWhen(operationId, "12:03", "succeeded", 1);
    expect(called).toEqual(["12:01", "12:01", "12:02", "12:03"].map(minute));
    expect(openMax).toBe(1);
  });

  test("executes a queued run even if the worker that ended the previous one has died", async () => {
    const operationId = await startLongRun("queue");
    bed.setClock(minute("12:02"));
    const { id } = await statusWhen(operationId, "12:01", "pending");
    await statusWhen(operationId, "12:02", "waiting");
    const runs = driver.db(bed.mongo.database).collection<{ _id: string }>("scheduled_runs");
    await runs.updateOne({ _id: id }, { $set: { state: "failed" }, $unset: { claimable_at: "" } });
    await statusWhen(operationId, "12:02", "succeeded");
  });

  test("queues at most 100 runs and skips further ones", async () => {
    const operationId = await startLongRun("queue");
    const runs = driver.db(bed.mongo.database).collection<StoredDocument>("scheduled_runs");
    const run = { project_client_id: clientId, operation_id: operationId, state: "waiting", queued: true };
    const fields = { attempts: [], attempt_count: 0, tries_made: 0, tries_left: 5 };
    await runs.insertMany(
      Array.from({ length: 100 }, (_, index) => {
        const due_at = new Date(Date.parse("2026-03-01T00:00:00.000Z") + index * 60_000);
        return { _id: `${operationId}-${index}`, ...run, ...fields, due_at, scheduled_for: due_at };
      }),
    );
    bed.setClock(minute("12:02"));
    expect(await statusWhen(operationId, "12:02", "skipped")).toMatchObject({ error: "overlap" });
  });
});

describe("the overlap policy of an operation", () => {
  const list = async () =>
    (await bed.server.scheduleAdmin.listScheduledOperations({ projectClientId: clientId }, operatorCall())).operations;

  test("uses the overlap policy allow by default, and keeps the policy when the schedule changes", async () => {
    const operationId = await bed.register(clientId);
    expect(await list()).toMatchObject([{ overlap: "allow" }]);
    const request = { operationId, overlap: "skip" };
    const { operation } = await bed.server.scheduleAdmin.setScheduledOperationOverlap(request, operatorCall());
    expect(operation).toMatchObject({ overlap: "skip" });
    await bed.setCron(operationId, "0 3 * * *");
    expect(await list()).toMatchObject([{ overlap: "skip", cron: "0 3 * * *" }]);
  });

  test("rejects an unknown overlap policy", async () => {
    const operationId = await bed.register(clientId);
    const set = bed.server.scheduleAdmin.setScheduledOperationOverlap({ operationId, overlap: "both" }, operatorCall());
    await expect(set).rejects.toThrow(/allow, skip, queue/);
  });
});
