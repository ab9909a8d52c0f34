import { utimes } from "node:fs/promises";
import { join } from "node:path";
import { connectMongo } from "@platform/service-kit/mongo/connect";
import { newId } from "@platform/service-kit/secrets/id";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fileObjectBlobKey, publicAssetBlobKey } from "../src/domain/blob-key.ts";
import { createFsBlobStore } from "../src/store/blobs/fs-blob-store.ts";
import { fileObjectModel } from "../src/store/file-object-model.ts";
import { createFileObjectStore } from "../src/store/file-objects.ts";
import { createPublicAssetStore, publicAssetModels } from "../src/store/public-assets.ts";
import { removeOrphanBlobs } from "../src/worker/remove-orphan-blobs.ts";
import { type FilesHarness, sha256, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

it("removes bytes without a record after a day, and keeps all others", async () => {
  const clock = () => new Date();
  const blobs = createFsBlobStore(harness.blobFolder);
  const mongo = await connectMongo({ uri: harness.mongo.uri, database: harness.mongo.database });
  const files = createFileObjectStore(fileObjectModel(mongo), clock);
  const publicAssets = createPublicAssetStore(publicAssetModels(mongo), {
    clock,
    publicBaseUrl: "http://gateway.example",
  });

  const kept = Buffer.from("needed by its record");
  const grant = await harness.grant(kept, "text/plain");
  await harness.put(grant.uploadToken, kept);
  const orphan = Buffer.from("belongs to nothing");
  const keys = {
    kept: fileObjectBlobKey(sha256(kept), grant.fileObjectId),
    orphan: fileObjectBlobKey(sha256(orphan), newId()),
    asset: publicAssetBlobKey(sha256(orphan), newId()),
    young: fileObjectBlobKey(sha256(orphan), newId()),
  };
  for (const key of [keys.orphan, keys.asset, keys.young]) {
    const writer = await blobs.createWriter(key, newId());
    await writer.write(Buffer.from(orphan));
    await writer.commit();
  }
  const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
  for (const key of [keys.kept, keys.orphan, keys.asset]) {
    await utimes(join(harness.blobFolder, key), twoDaysAgo, twoDaysAgo);
  }

  const { signal } = new AbortController();
  expect(await removeOrphanBlobs(blobs, files, publicAssets, clock(), signal)).toBe(2);
  expect(await blobs.size(keys.kept)).toBe(kept.byteLength);
  expect(await blobs.size(keys.young)).toBe(orphan.byteLength);
  expect(await blobs.size(keys.orphan)).toBeNull();
  expect(await blobs.size(keys.asset)).toBeNull();
  await mongo.close();
});
