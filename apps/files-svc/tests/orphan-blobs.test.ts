import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sweepFactory } from "@platform/kit/jobs/work";
import { newId } from "@platform/kit/process/secrets";
import { createMetrics, silentLogger } from "@platform/kit/process/telemetry";
import { connectMongo, createPutOffStore, type MongoConnection } from "@platform/kit/store/schema";
import { untypedCollection } from "@platform/test-kit/documents";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo, type TestMongo } from "@platform/test-kit/mongo";
import { startTestS3 } from "@platform/test-kit/s3";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fileObjectBlobKey, publicAssetBlobKey } from "../src/domain/blob-key.ts";
import { registerModels } from "../src/open-files-context.ts";
import type { BlobStore } from "../src/store/blobs/blob-store.ts";
import { createFsBlobStore } from "../src/store/blobs/fs-blob-store.ts";
import { createS3BlobStore } from "../src/store/blobs/s3-blob-store.ts";
import { createBucketOwnership } from "../src/store/bucket-ownership.ts";
import { createBytesRecords } from "../src/store/bytes-records.ts";
import { createOrphanCandidates } from "../src/store/orphan-candidates.ts";
import { runBucketCommand } from "../src/worker/run-bucket-command.ts";
import { startOrphanSweep } from "../src/worker/sweep-orphans.ts";
import { sha256 } from "./files-harness.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let mongo: TestMongo;
const connections: MongoConnection[] = [];
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(async () => {
  for (const connection of connections) await connection.close();
  await mongo.close();
});

async function openFs() {
  const folder = await mkdtemp(join(tmpdir(), "orphans-"));
  return { blobs: createFsBlobStore(folder), close: () => rm(folder, { recursive: true, force: true }) };
}
async function openS3() {
  const s3 = await startTestS3();
  const blobs = createS3BlobStore(s3.settings);
  const close = async () => {
    blobs.close();
    await s3.close();
  };
  return { blobs, close };
}

let databases = 0;
/** Creates a database of files-svc with a worker that sweeps a bucket. */
async function openDatabase(blobs: BlobStore) {
  databases += 1;
  const connection = await connectMongo({ uri: mongo.uri, database: `${mongo.database}-${databases}` });
  connections.push(connection);
  const models = registerModels(connection);
  const records = createBytesRecords(models.fileObjects, models.publicAssets);
  const candidates = createOrphanCandidates(models.orphanCandidates);
  const on = (bucket: BlobStore) => createBucketOwnership(models.ownership, bucket, records);

  /**
   * Runs the worker from the given day until it has swept twice, more than an hour apart, or has stopped. @returns why
   * it stopped
   * @param isStepped true if the database's clock steps by that time instead of passing it
   */
  const work = async (atDay: number, bucket = blobs, isStepped = false): Promise<string | null> => {
    let nowMs = Date.now() + atDay * dayMs;
    const startMs = nowMs;
    const clock = () => new Date(nowMs);
    const metrics = createMetrics("files-svc-worker", { processMetrics: false });
    const { registry } = metrics;
    const sweep = sweepFactory({ store: createPutOffStore(connection), clock, logger: silentLogger(), registry });
    const logger = silentLogger();
    const job = startOrphanSweep({
      ...{ blobs: bucket, records, ownership: on(bucket), candidates, clock, logger, metrics },
      sweep: sweep("remove-orphan-blobs"),
      graceMs: 7 * dayMs,
      everyMs: 10,
      steadyMs: () => (isStepped ? startMs : nowMs),
    });
    const stopReason = async (): Promise<string | null> =>
      /sweep_stopped\{reason="(\w+)"[^}]*\} 1/.exec(await registry.metrics())?.[1] ?? null;
    const swept = () =>
      eventually(async () => {
        const own = await models.ownership.findOne().lean();
        if ((await stopReason()) !== null) return true;
        const isShown = /platform_files_orphans\{/.test(await registry.metrics());
        return isShown && own?.next_sweep_at !== undefined && own.next_sweep_at > clock();
      });
    await swept();
    nowMs += 1.1 * hourMs;
    await swept();
    await job.stop();
    return stopReason();
  };
  const dump = async () => {
    const kept = ["file_objects", "public_assets", "bucket_ownership"].map((name) => connection.collection(name));
    const documents = await Promise.all(kept.map((collection) => collection.find().toArray()));
    return async (): Promise<void> => {
      for (const [index, collection] of kept.entries()) {
        await collection.deleteMany({});
        if (documents[index]?.length) await collection.insertMany(documents[index]);
      }
      await candidates.forgetAll();
    };
  };
  const command = (...args: string[]) => runBucketCommand({ ownership: on(blobs), candidates }, args, () => {});
  return { models, connection, work, dump, command };
}
type Database = Awaited<ReturnType<typeof openDatabase>>;

const bytes = Buffer.from("stored bytes");
async function store(blobs: BlobStore, key: string): Promise<string> {
  const writer = await blobs.createWriter(key, newId());
  await writer.write(Buffer.from(bytes));
  await writer.commit();
  return key;
}
const newKey = (id = newId()): string => fileObjectBlobKey(sha256(bytes), id);
/** Stores bytes that have a record. */
async function storeFile(blobs: BlobStore, { models }: Database, state = "available"): Promise<string> {
  const id = newId();
  await untypedCollection(models.fileObjects).insertOne({
    ...{ _id: id, project_client_id: newId(), idempotency_key: id, upload_token_hash: id, state, owed: [] },
  });
  return store(blobs, newKey(id));
}
const present = async (blobs: BlobStore, keys: readonly string[]): Promise<boolean[]> =>
  Promise.all(keys.map(async (key) => (await blobs.size(key)) !== null));

describe.each([
  ["fs", openFs],
  ["s3", openS3],
])("orphan bytes in a bucket of %s", (kind, open) => {
  let blobs: BlobStore;
  let close: () => Promise<void>;
  let production: Database;
  beforeEach(async () => {
    ({ blobs, close } = await open());
    production = await openDatabase(blobs);
    return () => close();
  });

  test("deletes orphans a week after they were found, and keeps all other blobs", async () => {
    const needed = await storeFile(blobs, production);
    const deleted = await storeFile(blobs, production, "deleted");
    const orphans = [await store(blobs, newKey()), await store(blobs, publicAssetBlobKey(sha256(bytes), newId()))];
    // Bytes younger than a day may belong to a running upload.
    expect(await production.work(0.5)).toBeNull();
    expect(await production.models.orphanCandidates.countDocuments()).toBe(0);
    expect(await production.work(2)).toBeNull();
    expect(await present(blobs, [needed, deleted, ...orphans])).toEqual([true, false, true, true]);
    expect(await production.work(8.9)).toBeNull();
    expect(await present(blobs, [needed, ...orphans])).toEqual([true, true, true]);
    expect(await production.work(9.1)).toBeNull();
    expect(await present(blobs, [needed, ...orphans])).toEqual([true, false, false]);
  });

  test("keeps orphan bytes within an hour of the start, although the database's clock steps forward by an hour", async () => {
    await storeFile(blobs, production);
    const orphan = await store(blobs, newKey());
    await production.work(2);
    expect(await production.work(9.1, blobs, true)).toBeNull();
    expect(await present(blobs, [orphan])).toEqual([true]);
  });

  test("keeps orphan bytes if the worker uses another database or an empty one", async () => {
    const kept = [await storeFile(blobs, production), await store(blobs, newKey())];
    await production.work(2);
    const empty = await openDatabase(blobs);
    expect(await empty.work(2)).toBe("other_database");
    expect(await empty.work(30)).toBe("other_database");
    expect(await present(blobs, kept)).toEqual([true, true]);
  });

  test("keeps orphan bytes if the database is empty and the bucket has no marker yet", async () => {
    const kept = [await storeFile(blobs, production), await storeFile(blobs, production)];
    const empty = await openDatabase(blobs);
    expect(await empty.work(2)).toBe("unmarked_bucket");
    expect(await empty.work(30)).toBe("unmarked_bucket");
    expect(await present(blobs, kept)).toEqual([true, true]);
    expect(await production.work(30)).toBeNull();
  });

  test("keeps orphan bytes if the database was restored from three days ago, until an operator adopts the bucket", async () => {
    const old = await storeFile(blobs, production);
    await production.work(2);
    const restore = await production.dump();
    const late = await storeFile(blobs, production);
    await production.work(5);
    await restore();
    expect(await production.work(5)).toBe("database_older");
    expect(await production.work(30)).toBe("database_older");
    expect(await present(blobs, [old, late])).toEqual([true, true]);
    await production.command("adopt");
    expect(await production.work(30)).toBeNull();
    expect(await present(blobs, [old, late])).toEqual([true, true]);
    expect(await production.work(38)).toBeNull();
    expect(await present(blobs, [old, late])).toEqual([true, false]);
  });

  test("deletes nothing if staging, which had its own bucket, is configured with production's bucket", async () => {
    const kept = [await storeFile(blobs, production), await store(blobs, newKey())];
    await production.work(2);
    const own = await openFs();
    const staging = await openDatabase(own.blobs);
    await storeFile(own.blobs, staging);
    expect(await staging.work(2)).toBeNull();
    expect(await staging.work(30, blobs)).toBe("other_database");
    expect(await present(blobs, kept)).toEqual([true, true]);
    expect(await production.work(3)).toBeNull();
    await own.close();
  });

  test("keeps orphan bytes if staging runs on a copy of production's database under another name", async () => {
    const kept = [await storeFile(blobs, production), await store(blobs, newKey())];
    await production.work(2);
    const staging = await openDatabase(blobs);
    for (const name of ["file_objects", "bucket_ownership"]) {
      const documents = await production.connection.collection(name).find().toArray();
      await staging.connection.collection(name).insertMany(documents);
    }
    expect(await staging.work(30)).toBe("other_database");
    expect(await present(blobs, kept)).toEqual([true, true]);
  });

  if (kind === "s3") return;

  test("deletes up to 1,000 orphans at a time, but nothing if there is one more, until an operator accepts them", async () => {
    await storeFile(blobs, production);
    await production.work(0);
    const orphans = await Promise.all(Array.from({ length: 1_001 }, () => store(blobs, newKey())));
    expect(await production.work(2)).toBe("too_many_orphans");
    expect(await production.work(9.5)).toBe("too_many_orphans");
    expect((await present(blobs, orphans)).every(Boolean)).toBe(true);
    await production.command("accept", "1001");
    expect(await production.work(10)).toBeNull();
    expect((await present(blobs, orphans)).some(Boolean)).toBe(false);
    const thousand = await Promise.all(Array.from({ length: 1_000 }, () => store(blobs, newKey())));
    expect(await production.work(11)).toBeNull();
    expect(await production.work(18.5)).toBeNull();
    expect((await present(blobs, thousand)).some(Boolean)).toBe(false);
  });

  test("continues with other orphans if the store refuses to delete one", async () => {
    await storeFile(blobs, production);
    await production.work(0);
    const orphans = await Promise.all(Array.from({ length: 5 }, () => store(blobs, newKey())));
    const [refused = ""] = orphans.toSorted();
    const refusing: BlobStore = {
      ...blobs,
      delete: async (key, writeId) => {
        if (key === refused) throw new Error("refused");
        await blobs.delete(key, writeId);
      },
    };
    await production.work(2, refusing);
    await production.work(9.5, refusing);
    expect((await present(blobs, orphans)).filter(Boolean)).toHaveLength(1);
    expect(await blobs.size(refused)).not.toBeNull();
  });

  test("allows only one of two workers to sweep in each hour", async () => {
    await storeFile(blobs, production);
    await Promise.all([production.work(2), production.work(2)]);
    const own = await production.models.ownership.findOne().lean();
    // Each period is long enough for two sweeps of one worker.
    expect(own?.generation).toBe(2);
  });
});
