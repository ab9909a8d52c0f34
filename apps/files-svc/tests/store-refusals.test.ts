import { randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { newId } from "@platform/kit/process/secrets";
import { eventually } from "@platform/test-kit/eventually";
import { startTestS3, type TestS3 } from "@platform/test-kit/s3";
import {
  refusesChecksums,
  refusesDeletesOfAbsent,
  type S3StandIn,
  startS3StandIn,
  uploadsList,
} from "@platform/test-kit/s3-stand-in";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fileObjectBlobKey } from "../src/domain/blob-key.ts";
import { createS3BlobStore } from "../src/store/blobs/s3-blob-store.ts";
import { sha256, startFilesHarness } from "./files-harness.ts";

let s3: TestS3;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  s3 = await startTestS3();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => s3.close());

async function standIn(behaviour: Parameters<typeof startS3StandIn>[1]): Promise<S3StandIn> {
  const store = await startS3StandIn(s3, behaviour);
  closing.push(store.close);
  return store;
}
async function storeOn(behaviour: Parameters<typeof startS3StandIn>[1]) {
  const store = createS3BlobStore((await standIn(behaviour)).settings);
  closing.push(store.close);
  return store;
}
const fail = (error: unknown): never => {
  throw error;
};
const newKey = (bytes: Uint8Array): string => fileObjectBlobKey(sha256(bytes), newId());

describe("a store that responds 404 to the deletion of a missing object", () => {
  test("releases a rejected upload's storage, and deletes the blobs that are due after that", async () => {
    const { env } = await standIn({ answer: refusesDeletesOfAbsent() });
    const skew = { ms: 0 };
    const clock = () => new Date(Date.now() + skew.ms);
    const harness = await startFilesHarness({ env: { ...env }, overrides: { clock } });
    closing.push(harness.close);
    const before = await harness.storageUsed();
    const promised = Buffer.from("the bytes that were promised");
    const grant = await harness.grant(promised, "text/plain");
    await harness.put(grant.uploadToken, Buffer.from("other bytes of the same length"));
    const kept = Buffer.from("a file that is deleted later");
    const second = await harness.grant(kept, "text/plain");
    await harness.put(second.uploadToken, kept);
    await harness.objectAdmin.deleteFileObject({ fileObjectId: second.fileObjectId }, harness.call());
    skew.ms = 90_000;
    await eventually(async () => (await harness.storageUsed()) === before, { timeoutMs: 20_000 });
  });
});

describe("a store that refuses checksums", () => {
  test.each([10, 6 * 1024 * 1024])("stores and reads a blob of %d bytes", async (length) => {
    const store = await storeOn({ answer: refusesChecksums });
    const bytes = randomBytes(length);
    const key = newKey(bytes);
    const writer = await store.createWriter(key, newId());
    for (let at = 0; at < length; at += 65_536) await writer.write(Buffer.from(bytes.subarray(at, at + 65_536)));
    await writer.commit();
    expect((await buffer(await store.read(key, null))).equals(bytes)).toBe(true);
  });
});

describe("a store that does not know 100 Continue", () => {
  test.each(["silent", "refused"] as const)(
    "stores a part of 5 MiB even if the store's response to Expect: 100-continue is %s",
    async (onExpect) => {
      const store = await storeOn({ onExpect });
      const bytes = randomBytes(6 * 1024 * 1024);
      const key = newKey(bytes);
      const writer = await store.createWriter(key, newId());
      for (let at = 0; at < bytes.byteLength; at += 65_536) {
        await writer.write(Buffer.from(bytes.subarray(at, at + 65_536)));
      }
      await writer.commit();
      expect(await store.size(key)).toBe(bytes.byteLength);
    },
    30_000,
  );
});

describe("a store that denies access to the bucket itself", () => {
  const headBucket =
    (status: number) =>
    ({ method, key }: { method: string; key: string }) =>
      method === "HEAD" && key === "" ? { status, code: "Refused" } : null;

  test("reports the store as available when it forbids HeadBucket to this user", async () => {
    expect(await (await storeOn({ answer: headBucket(403) })).check()).toBe(true);
  });

  test("reports the store as unavailable when the bucket is missing", async () => {
    await expect((await storeOn({ answer: headBucket(404) })).check()).rejects.toThrow();
  });
});

describe("a store whose unfinished uploads cannot be listed or ended", () => {
  test.each([403, 404, 405, 501])(
    "assumes that there are no unfinished uploads if listing them returns %d",
    async (status) => {
      const store = await storeOn({
        answer: ({ method, query }) => (method === "GET" && query.has("uploads") ? { status, code: "Refused" } : null),
      });
      expect(await store.removeUnfinished(new Date(), fail)).toBe(0);
    },
  );

  test("counts an upload that has already ended as aborted, and continues after one that cannot be aborted", async () => {
    const begun = new Date(Date.now() - 3_600_000);
    const uploads = ["1", "2", "3"].map((id) => ({ key: `platform/objects/${id}`, id, begun }));
    const ends = new Map([
      ["1", { status: 404, code: "NoSuchUpload" }],
      ["2", { status: 403, code: "AccessDenied" }],
      ["3", { status: 204, body: "" }],
    ]);
    const store = await storeOn({
      answer: ({ method, query }) =>
        method === "GET" && query.has("uploads")
          ? uploadsList(uploads)
          : (ends.get(query.get("uploadId") ?? "") ?? null),
    });
    const failures: unknown[] = [];
    expect(await store.removeUnfinished(new Date(), (error) => failures.push(error))).toBe(2);
    expect(failures).toHaveLength(1);
  });
});
