import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Collection, type Document, MongoClient, Timestamp } from "mongodb";
import { type LoadSample, rateOf } from "../load/sample.ts";
import { type Platform, unlimited } from "../platform.ts";
import { pin } from "../processes.ts";
import { type Row, ratioCheck } from "../row.ts";
import { httpLoad, publishing } from "./contenders.ts";

const worker = "events-svc-worker";
const alone = "publish, nothing to remove";
const beside = "publish, while events are removed";
const removal = "removed meanwhile";
/** Older than the default retention of events, which is a year. */
const agedMs = 4_000 * 86_400_000;
/** Number of events to remove per second of a measurement, more than one worker can remove. */
const agedPerSecond = 5_000;
const insertedAtOnce = 2_000;
const waitMsMax = 300_000;

/** Measures how many events one worker removes per second while others are published through one gateway. */
export const retentionRow: Row = {
  id: "RETENTION",
  title: "Events that one worker removes while others are published, 64 connections",
  isOnRequest: true,
  run: async (bench) => {
    const platform = await bench.platform();
    const client = await MongoClient.connect(platform.stack.mongodbUri, { maxPoolSize: 2 });
    bench.defer(() => client.close());
    const log = await createAgedLog(client, platform);
    const load = httpLoad(publishing(platform, platform.port));
    const publish = (durationMs: number): Promise<LoadSample> => bench.generator.run("http", { ...load, durationMs });
    /** Results of the publishing load in the warm-up and in each run. */
    const removed: LoadSample[] = [];
    const measured = await bench.measure([
      { name: alone, role: "baseline", unit: "events/s", run: publish },
      {
        name: beside,
        role: "ours",
        unit: "events/s",
        run: async (durationMs) => {
          const both = await log.removeBeside(durationMs, () => publish(durationMs));
          removed.push(both.removed);
          return both.sample;
        },
      },
    ]);
    const all = [...measured, { name: removal, role: "ours", unit: "events/s", samples: removed.slice(1) } as const];
    return {
      measured: all,
      checks: [ratioCheck(all, [beside, alone]), ratioCheck(all, [removal, beside])],
      notes: [
        `Another Project Client is given ${agedPerSecond.toLocaleString("en-US")} events past their retention for each second of a run. The events worker is restarted, which begins a sweep, and publishing begins with the first batch that it removes.`,
      ],
    };
  },
};

type AgedLog = {
  /** Removes expired events while `load` runs. Returns after the last one was removed. */
  removeBeside(
    durationMs: number,
    load: () => Promise<LoadSample>,
  ): Promise<{ readonly sample: LoadSample; readonly removed: LoadSample }>;
};

/** Fills the log of a new Project Client with expired events. */
async function createAgedLog(client: MongoClient, platform: Platform): Promise<AgedLog> {
  const { stack } = platform;
  const database = client.db(stack.databaseOf("events"));
  const events = database.collection("domain_events");
  const heads: Collection<Document & { _id: string }> = database.collection("event_log_heads");
  const { id } = await platform.newClient(unlimited);
  let position = 0;

  const add = async (count: number): Promise<void> => {
    for (let from = 0; from < count; from += insertedAtOnce) {
      const length = Math.min(insertedAtOnce, count - from);
      await events.insertMany(Array.from({ length }, (_, index) => agedEvent(id, position + index + 1) as Document));
      position += length;
    }
    const head = { $set: { position, batch: [] }, $inc: { revision: 1 } };
    await heads.updateOne({ _id: id }, head, { upsert: true });
  };
  const removedTo = async (): Promise<number> => Number((await heads.findOne({ _id: id }))?.removed_to ?? 0);
  const waitFor = async (to: number): Promise<number> => {
    for (const untilMs = performance.now() + waitMsMax; performance.now() < untilMs; await delay(10))
      if ((await removedTo()) >= to) return performance.now();
    throw new Error(`the sweep has removed the events up to ${await removedTo()}, and not up to ${to}`);
  };

  return {
    removeBeside: async (durationMs, load) => {
      const begin = position;
      await add(Math.ceil((agedPerSecond * durationMs) / 1_000));
      await stack.kill(worker, "SIGTERM");
      await stack.start(worker);
      pin(stack.pid(worker), "stores");
      const beganAtMs = await waitFor(begin + 1);
      const first = await removedTo();
      const [doneAtMs, [sample, last, endedAtMs]] = await Promise.all([
        waitFor(position),
        load().then(async (loaded) => [loaded, await removedTo(), performance.now()] as const),
      ]);
      return { sample, removed: rateOf(last - first, Math.min(doneAtMs, endedAtMs) - beganAtMs) };
    },
  };
}

/** Creates an event of a log that is neither relayed nor read. */
function agedEvent(clientId: string, position: number) {
  const id = randomUUID();
  return {
    _id: id,
    project_client_id: clientId,
    type: "order.placed",
    schema_version: 1,
    data_json: '{"order":1,"lines":[{"sku":"A-1","quantity":2}]}',
    occurred_at: null,
    published_at: new Date(Date.now() - agedMs),
    inserted: new Timestamp({ t: 1, i: position }),
    position,
    relay_state: "off",
    idempotency_key: id,
    idempotency_fingerprint: "",
  };
}
