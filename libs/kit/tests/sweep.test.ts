import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { Registry } from "@prometheus-io/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweepFactory } from "../src/jobs/sweep.ts";
import { silentLogger } from "../src/process/logger.ts";
import { connectMongo, type MongoConnection } from "../src/store/connect.ts";
import { createPutOffStore, type PutOffStore } from "../src/store/put-off-work.ts";

let mongo: TestMongo;
let connection: MongoConnection;
let store: PutOffStore;
let nowMs = Date.now();
let registry = new Registry();
const clock = () => new Date(nowMs);
const { signal } = new AbortController();

beforeAll(async () => {
  mongo = await startTestMongo();
  connection = await connectMongo({ uri: mongo.uri, database: mongo.database });
  store = createPutOffStore(connection);
});
beforeEach(async () => {
  await connection.collection("put_off_work").deleteMany({});
  registry = new Registry();
});
afterAll(async () => {
  await connection.close();
  await mongo.close();
});

/** Creates a sweep over the items in a list. Items in `failing` reject. */
function sweepOf(items: Set<string>, failing: ReadonlySet<string>) {
  const tried: string[] = [];
  const sweep = sweepFactory({ store, clock, logger: silentLogger(), registry })("test");
  const run = () =>
    sweep.run({
      find: async (except, limit) => [...items].filter((item) => !except.includes(item)).slice(0, limit),
      idOf: (item) => item,
      work: async (item) => {
        tried.push(item);
        if (failing.has(item)) throw new Error("refused");
        items.delete(item);
      },
      signal,
    });
  return { run, tried };
}
const oldestSeconds = async (): Promise<number> =>
  Number(/oldest_seconds\{sweep="test"\} (\S+)/.exec(await registry.metrics())?.[1] ?? 0);

describe("a sweep", () => {
  test("finishes all other items if the first one fails", async () => {
    const items = new Set(["bad", ...Array.from({ length: 250 }, (_, index) => `good ${index}`)]);
    await sweepOf(items, new Set(["bad"])).run();
    expect([...items]).toEqual(["bad"]);
  });

  test("retries a failed item when it is due, after a longer wait each time", async () => {
    const failing = new Set(["bad"]);
    const { run, tried } = sweepOf(new Set(["bad"]), failing);
    await run();
    await run();
    expect(tried).toHaveLength(1);
    nowMs += 6_001;
    await run();
    expect(tried).toHaveLength(2);
    // The second wait is twice as long as the first, which is at least 8 s with its jitter.
    nowMs += 7_999;
    await run();
    expect(tried).toHaveLength(2);
    nowMs += 5_000;
    failing.clear();
    await run();
    expect(tried).toHaveLength(3);
    expect(await store.list("test", 10)).toEqual([]);
  });

  test("exports how long its oldest item has been failing, and nothing once the item is done", async () => {
    const failing = new Set(["bad"]);
    const { run } = sweepOf(new Set(["bad"]), failing);
    await run();
    nowMs += 90_000;
    await run();
    expect(await oldestSeconds()).toBe(90);
    failing.clear();
    nowMs += 600_000;
    await run();
    expect(await oldestSeconds()).toBe(0);
  });

  test("forgets an item that another process has finished", async () => {
    const items = new Set(["bad"]);
    const { run } = sweepOf(items, new Set(["bad"]));
    await run();
    items.clear();
    nowMs += 600_000;
    await run();
    expect(await store.list("test", 10)).toEqual([]);
  });

  test("ends a run after twenty consecutive failures, and tries the other items in the next run", async () => {
    const items = new Set(Array.from({ length: 30 }, (_, index) => `bad ${index}`));
    const { run, tried } = sweepOf(items, new Set(items));
    await run();
    expect(tried).toHaveLength(20);
    await run();
    expect(new Set(tried)).toEqual(items);
  });

  test("does not postpone an item whose work was interrupted because the process stopped", async () => {
    const stopping = new AbortController();
    const sweep = sweepFactory({ store, clock, logger: silentLogger(), registry })("test");
    const run = await sweep.begin(stopping.signal);
    await run.attempt("item", async () => {
      stopping.abort();
      throw new Error("broken off");
    });
    expect(await store.list("test", 10)).toEqual([]);
  });
});
