import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Double, Long, MongoClient } from "mongodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TestDocument } from "./connect.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
let folder: string;
let running: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
  running = [];
});
afterEach(async () => {
  for (const child of running) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function start(): Promise<{ child: ChildProcess; uri: string }> {
  const child = spawn(process.execPath, [main, "--port", "0", "--data", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line")) as [string];
  expect(line).toMatch(/^listening mongodb:\/\/127\.0\.0\.1:\d+$/);
  return { child, uri: line.replace("listening ", "") };
}

async function withClient<T>(uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(uri, { maxPoolSize: 50, serverSelectionTimeoutMS: 2000, retryWrites: true });
  try {
    return await use(client);
  } finally {
    await client.close(true);
  }
}

const durable = { writeConcern: { w: "majority", j: true } } as const;

describe("durability", () => {
  it("keeps every acknowledged write through three kills with SIGKILL", async () => {
    const acknowledged = new Map<number, number>();
    const deleted = new Set<number>();
    let next = 0;
    for (let round = 0; round < 3; round++) {
      const { child, uri } = await start();
      await withClient(uri, async (client) => {
        const c = client.db("durable").collection<{ _id: number; n: number }>("writes");
        const exited = once(child, "exit");
        const writer = async () => {
          for (let count = 0; count < 10_000; count++) {
            const _id = next++;
            await c.insertOne({ _id, n: 0 }, durable);
            acknowledged.set(_id, 0);
            if (_id % 3 === 0) {
              await c.findOneAndUpdate({ _id }, { $inc: { n: 1 } }, durable);
              acknowledged.set(_id, 1);
            }
            if (_id % 10 === 1) {
              acknowledged.delete(_id);
              await c.deleteOne({ _id }, durable);
              deleted.add(_id);
            }
            if (acknowledged.size > (round + 1) * 700) child.kill("SIGKILL");
          }
        };
        const outcomes = await Promise.allSettled(Array.from({ length: 20 }, writer));
        expect(outcomes.every(({ status }) => status === "rejected")).toBe(true);
        await exited;
      });
    }
    expect(acknowledged.size).toBeGreaterThan(2000);
    const { uri } = await start();
    await withClient(uri, async (client) => {
      const stored = await client.db("durable").collection<{ _id: number; n: number }>("writes").find().toArray();
      const values = new Map(stored.map(({ _id, n }) => [_id, n]));
      const lost = [...acknowledged].filter(([_id, n]) => (values.get(_id) ?? -1) < n);
      expect(lost).toEqual([]);
      expect([...deleted].filter((_id) => values.has(_id))).toEqual([]);
    });
  });

  it("restores collections, indexes and types after SIGTERM", async () => {
    const first = await start();
    await withClient(first.uri, async (client) => {
      const c = client.db("kept").collection<TestDocument>("c");
      await c.createIndex({ k: 1 }, { unique: true, partialFilterExpression: { open: true } });
      await c.insertMany([
        { _id: 1, k: 1, open: true, d: new Double(5), l: Long.fromNumber(5) },
        { _id: 2, k: 1 },
      ]);
      await client.db("kept").createCollection("empty");
      await client.db("kept").collection("dropped").insertOne({ a: 1 });
      await client.db("kept").collection("dropped").drop();
      await client.db("gone").collection("c").insertOne({ a: 1 });
      await client.db("gone").dropDatabase();
      first.child.kill("SIGTERM");
      expect(await once(first.child, "exit")).toEqual([0, null]);
    });
    const second = await start();
    await withClient(second.uri, async (client) => {
      const c = client.db("kept").collection<TestDocument>("c");
      const [found] = await c.find({ _id: 1 }, { promoteValues: false }).toArray();
      expect([found?.d._bsontype, found?.l._bsontype]).toEqual(["Double", "Long"]);
      await expect(c.insertOne({ k: 1, open: true })).rejects.toMatchObject({ code: 11000 });
      await c.insertOne({ k: 1 });
      const names = await client.db("kept").listCollections({}, { nameOnly: true }).toArray();
      expect(names.map(({ name }) => name).sort()).toEqual(["c", "empty"]);
      expect((await client.db().admin().listDatabases()).databases.map(({ name }) => name)).toEqual(["kept"]);
    });
  });

  it("finds documents by every kind of index after a restart, and maintains the indexes", async () => {
    const [first, length] = [await start(), 1000];
    await withClient(first.uri, async (client) => {
      const c = client.db("indexed").collection("c");
      await c.createIndexes([
        { key: { tags: 1 } },
        { key: { rest: 1 }, sparse: true },
        { key: { group: 1, n: -1 } },
        { key: { even: 1 }, partialFilterExpression: { even: true } },
      ]);
      const of = (n: number) => ({
        n,
        tags: [`t${n}`, "all"],
        group: n % 7,
        ...(n % 2 === 0 ? { even: true } : { rest: n }),
      });
      await c.insertMany(Array.from({ length }, (_, n) => of((n * 617) % length)));
      await c.deleteMany({ group: 3 });
      first.child.kill("SIGTERM");
      await once(first.child, "exit");
    });
    const left = Array.from({ length }, (_, n) => n).filter((n) => n % 7 !== 3);
    const second = await start();
    await withClient(second.uri, async (client) => {
      const c = client.db("indexed").collection("c");
      const numbers = async (filter: object) =>
        (await c.find(filter).toArray()).map(({ n }) => n as number).sort((a, b) => a - b);
      expect(await numbers({ tags: "t5" })).toEqual([5]);
      expect(await c.countDocuments({ tags: "all" })).toBe(left.length);
      expect(await numbers({ rest: { $gte: 990 } })).toEqual(left.filter((n) => n >= 990 && n % 2 === 1));
      expect(await numbers({ even: true })).toEqual(left.filter((n) => n % 2 === 0));
      const newest = await c.find({ group: 2 }).sort({ n: -1 }).limit(3).toArray();
      expect(newest.map(({ n }) => n)).toEqual(
        left
          .filter((n) => n % 7 === 2)
          .reverse()
          .slice(0, 3),
      );
      await c.updateOne({ n: 5 }, { $set: { tags: ["moved"], group: 2 } });
      await c.insertOne({ n: length, tags: ["t5"], group: 2 });
      expect(await numbers({ tags: "t5" })).toEqual([length]);
      expect(await numbers({ tags: "moved" })).toEqual([5]);
      expect((await c.find({ group: 2 }).sort({ n: -1 }).limit(1).toArray())[0]?.n).toBe(length);
    });
  });

  it("refuses a second server on the same folder", async () => {
    await start();
    const second = spawn(process.execPath, [main, "--data", folder], { stdio: "ignore" });
    running.push(second);
    const [code] = await once(second, "exit");
    expect(code).not.toBe(0);
  });
});
