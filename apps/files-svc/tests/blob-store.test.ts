import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { newId } from "@platform/kit/process/secrets";
import { startTestS3 } from "@platform/test-kit/s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBlockFiller } from "../src/bytes/block-filler.ts";
import { blockBytes, giveBlock, takeBlock } from "../src/bytes/block-pool.ts";
import { fileObjectBlobKey } from "../src/domain/blob-key.ts";
import type { BlobStore } from "../src/store/blobs/blob-store.ts";
import { createFsBlobStore } from "../src/store/blobs/fs-blob-store.ts";
import { createS3BlobStore } from "../src/store/blobs/s3-blob-store.ts";
import { sha256 } from "./files-harness.ts";

const fail = (error: unknown): never => {
  throw error;
};

type Opened = { store: BlobStore; close(): Promise<void> };

async function openFs(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), "blobs-"));
  return { store: createFsBlobStore(folder), close: () => rm(folder, { recursive: true, force: true }) };
}

async function openS3(): Promise<Opened> {
  const s3 = await startTestS3();
  const store = createS3BlobStore(s3.settings);
  return {
    store,
    close: async () => {
      store.close();
      await s3.close();
    },
  };
}

describe.each([
  ["fs", openFs],
  ["s3", openS3],
])("the %s blob store", (_kind, open) => {
  let opened: Opened;
  let store: BlobStore;
  beforeAll(async () => {
    opened = await open();
    ({ store } = opened);
  });
  afterAll(() => opened.close());

  const newKey = (bytes: Uint8Array): string => fileObjectBlobKey(sha256(bytes), newId());
  const begin = async (bytes: Uint8Array, key: string, writeId = newId()) => {
    const writer = await store.createWriter(key, writeId);
    for (let at = 0; at < bytes.byteLength; at += 65_536)
      await writer.write(Buffer.from(bytes.subarray(at, at + 65_536)));
    return writer;
  };
  const put = async (bytes: Uint8Array): Promise<string> => {
    const key = newKey(bytes);
    await (await begin(bytes, key)).commit();
    return key;
  };

  it("reads stored bytes back, in full and in part", async () => {
    const bytes = randomBytes(300_000);
    const key = await put(bytes);
    expect(await store.size(key)).toBe(300_000);
    expect((await buffer(await store.read(key, null))).equals(bytes)).toBe(true);
    const part = await buffer(await store.read(key, { start: 1_000, end: 250_000 }));
    expect(part.equals(bytes.subarray(1_000, 250_001))).toBe(true);
    const last = await buffer(await store.read(key, { start: 299_999, end: 299_999 }));
    expect(last.equals(bytes.subarray(299_999))).toBe(true);
  });

  it("stores and returns a blob of several parts", async () => {
    const bytes = randomBytes(12 * 1024 * 1024 + 17);
    const key = await put(bytes);
    expect(sha256(await buffer(await store.read(key, null)))).toBe(sha256(bytes));
  });

  it("stores the bytes as given even if the caller reuses their memory", async () => {
    const bytes = randomBytes(12 * blockBytes + 17);
    const key = newKey(bytes);
    const writer = await store.createWriter(key, newId());
    const filler = createBlockFiller([writer.write]);
    for (let at = 0; at < bytes.byteLength; at += 65_536) {
      await filler.take(Buffer.from(bytes.subarray(at, at + 65_536)));
    }
    await filler.finish();
    // The blocks have been returned to their pool, so the next upload may fill them.
    const pool = Array.from({ length: 16 }, takeBlock);
    for (const block of pool) giveBlock(block.fill(0));
    await writer.commit();
    expect(sha256(await buffer(await store.read(key, null)))).toBe(sha256(bytes));
  });

  it("hides a blob until it is committed", async () => {
    const bytes = randomBytes(11 * 1024 * 1024);
    const key = newKey(bytes);
    const writer = await begin(bytes, key);
    expect(await store.size(key)).toBeNull();
    await expect(store.read(key, null)).rejects.toThrow();
    await writer.commit();
    expect(await store.size(key)).toBe(bytes.byteLength);
  });

  it("keeps nothing of an aborted blob, whether it is small or has several parts", async () => {
    for (const length of [10, 11 * 1024 * 1024]) {
      const bytes = randomBytes(length);
      const key = newKey(bytes);
      const writer = await begin(bytes, key);
      await writer.abort();
      await writer.abort();
      expect(await store.size(key)).toBeNull();
    }
  });

  it("deletes an existing blob, and does nothing for a missing one", async () => {
    const key = await put(randomBytes(10));
    await store.delete(key, null);
    await store.delete(key, newId());
    expect(await store.size(key)).toBeNull();
    await expect(store.read(key, null)).rejects.toThrow();
  });

  it("creates a local copy for tools that read files", async () => {
    const bytes = randomBytes(100_000);
    const copy = await store.localCopy(await put(bytes));
    expect((await readFile(copy.path)).equals(bytes)).toBe(true);
    await copy.release();
    await expect(store.localCopy(newKey(bytes))).rejects.toThrow();
  });

  it("lists every finished blob with its age", async () => {
    const key = await put(randomBytes(50));
    const unfinished = randomBytes(60);
    const writer = await begin(unfinished, newKey(unfinished));
    const listed: string[] = [];
    for await (const blob of store.list()) {
      listed.push(blob.key);
      expect(Math.abs(blob.storedAt.getTime() - Date.now())).toBeLessThan(600_000);
    }
    await writer.abort();
    expect(listed).toContain(key);
    expect(listed).not.toContain(newKey(unfinished));
  });

  it("removes unfinished blobs of a crash, and keeps those in progress", async () => {
    const bytes = randomBytes(6 * 1024 * 1024);
    const key = newKey(bytes);
    const writer = await begin(bytes, key);
    expect(await store.removeUnfinished(new Date(Date.now() - 3_600_000), fail)).toBe(0);
    await writer.commit();
    expect(await store.size(key)).toBe(bytes.byteLength);
    const orphan = randomBytes(100);
    const dead = await begin(orphan, newKey(orphan));
    const removed = await store.removeUnfinished(new Date(Date.now() + 3_600_000), fail);
    // A small blob is not yet a multipart upload, so nothing has to be removed in S3.
    expect(removed).toBe(store.kind === "fs" ? 1 : 0);
    await dead.abort();
  });

  it("passes the readiness check if the store can be reached", async () => {
    expect(await store.check()).toBe(true);
  });
});
