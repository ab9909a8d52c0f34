import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { collectionOf } from "@platform/kit/store/documents";
import { buildIndexes, connectMongo } from "@platform/kit/store/schema";
import { eventually } from "@platform/test-kit/eventually";
import type { Connection } from "mongoose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventsModels } from "../src/store/models.ts";
import { createLogReader, type LogReader, recordEventRuns, unsettledMax } from "../src/store/record-event-runs.ts";
import type { SubscriptionDocument } from "../src/store/subscription-model.ts";
import { startEventRunRecorder } from "../src/worker/subscriptions/record-event-runs.ts";
import { insertEventLog } from "./event-log.ts";
import { startTestMongo } from "./fixture.ts";

let mongo: Awaited<ReturnType<typeof startTestMongo>>;
let connection: Connection;
let models: ReturnType<typeof eventsModels>;
let clientId: string;
let subscription: SubscriptionDocument;

beforeEach(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo(mongo);
  models = eventsModels(connection);
  await buildIndexes(connection);
  clientId = newId();
  subscription = {
    _id: newId(),
    project_client_id: clientId,
    operation_id: newId(),
    types: ["order.*"],
    order: "none",
    status: "active",
    max_attempts: 3,
    recorded_to: 0,
    replays: [],
    replay_count: 0,
    created_at: new Date(),
  };
  await collectionOf(models.subscriptions).insertOne(subscription);
  await insertEventLog(models, clientId, 0, unsettledMax + 10);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await connection.close();
  await mongo.close();
});

const openRuns = () => models.schedule.runs.find({ subscription_id: subscription._id, unsettled: true });
const endRuns = async (count: number): Promise<void> => {
  const ids = (await openRuns().limit(count).lean()).map(({ _id }) => _id);
  const end = { $set: { state: "succeeded" }, $unset: { unsettled: "", claimable_at: "" } } as const;
  await models.schedule.runs.updateMany({ _id: { $in: ids } }, end);
};

describe("a subscription with as many unfinished runs as it may have", () => {
  test("is recorded up to its limit, then its log is not read until a run has ended", async () => {
    const step = async (wasFull: boolean, readLog: LogReader) => {
      const now = new Date();
      const options = { readLog, isPatient: false, wasFull, owner: "test", now, until: now };
      const result = await recordEventRuns(models, subscription, null, options);
      if (result === null) throw new Error("another worker wrote first");
      ({ subscription } = result);
      return { count: result.count, isFull: result.isFull === true };
    };
    const readLog = () => createLogReader(models.event);
    const unread: LogReader = () => Promise.reject(new Error("the log was read"));
    expect(await step(false, readLog())).toEqual({ count: 500, isFull: false });
    expect(await step(false, readLog())).toEqual({ count: 500, isFull: false });
    expect(await openRuns().countDocuments()).toBe(unsettledMax);
    expect(await step(false, readLog())).toEqual({ count: 0, isFull: true });
    expect(await step(true, unread)).toEqual({ count: 0, isFull: true });
    await endRuns(1);
    expect(await step(true, readLog())).toEqual({ count: 1, isFull: false });
    expect(await step(true, unread)).toEqual({ count: 0, isFull: true });
  });

  test("is looked at less and less often while it is full, and gets its further runs once others have ended", async () => {
    const lookedAtMs: number[] = [];
    const { countDocuments } = models.schedule.runs;
    vi.spyOn(models.schedule.runs, "countDocuments").mockImplementation((...args) => {
      lookedAtMs.push(performance.now());
      return countDocuments.apply(models.schedule.runs, args);
    });
    const recorder = startEventRunRecorder(models, {
      logger: silentLogger(),
      clock: () => new Date(),
      disabledClients: { has: () => false },
      onRecorded: () => undefined,
    });
    try {
      await eventually(async () => (await collectionOf(models.schedule.runs).countDocuments()) === unsettledMax);
      lookedAtMs.length = 0;
      await eventually(() => {
        // Published events wake the recorder.
        recorder.notify();
        return lookedAtMs.length >= 5;
      });
      // The first two looks may belong to the step that found the subscription full.
      const gaps = lookedAtMs.slice(2).map((at, index) => at - (lookedAtMs[index + 1] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200);
      expect(gaps.at(-1)).toBeGreaterThanOrEqual(800);
      await endRuns(10);
      // The runs are inserted before the position advances.
      await eventually(
        async () => (await models.subscriptions.findById(subscription._id).lean())?.recorded_to === unsettledMax + 10,
      );
      expect((await openRuns().lean()).length).toBe(unsettledMax);
    } finally {
      await recorder.stop();
    }
  });
});
