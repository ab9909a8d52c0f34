import { newId } from "@platform/kit/process/secrets";
import type { StoredDocument } from "@platform/kit/store/documents";
import { eventually } from "@platform/test-kit/eventually";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as fixtures from "./file-fixtures.ts";
import { type FilesHarness, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
let mongo: MongoClient;
beforeAll(async () => {
  harness = await startFilesHarness();
  mongo = await MongoClient.connect(harness.mongo.uri);
});
afterAll(async () => {
  await mongo.close();
  await harness.close();
});

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "done",
    (error: { code: string }) => error.code,
  );

async function upload(bytes: Buffer<ArrayBuffer>): Promise<{ fileObjectId: string; downloadUrl: string }> {
  const { fileObjectId, uploadToken } = await harness.grant(bytes, "image/png");
  await harness.put(uploadToken, bytes);
  await harness.files.completeFileObject({ fileObjectId }, harness.call());
  const { downloadUrl } = await harness.files.createDownloadGrant({ fileObjectId }, harness.call(newId()));
  return { fileObjectId, downloadUrl };
}

async function publish(fileObjectId: string): Promise<{ id: string; url: string; presetId: string }> {
  const request = { name: `preset-${newId()}`, format: "png", maxWidth: 32, maxHeight: 32, quality: 90 };
  const presetId = (await harness.admin.createImagePreset(request, harness.call())).imagePreset?.id ?? "";
  const asset = await harness.files.createPublicAsset({ fileObjectId, imagePresetId: presetId }, harness.call(newId()));
  return { id: asset.id, url: asset.url, presetId };
}

const deleteFile = (fileObjectId: string) => harness.objectAdmin.deleteFileObject({ fileObjectId }, harness.call());

describe("a deleted File Object", () => {
  it("removes a deleted file's bytes, returns its storage once, and hides it from its client", async () => {
    const used = await harness.storageUsed();
    const { fileObjectId, downloadUrl } = await upload(await fixtures.png());
    expect(await harness.storageUsed()).toBeGreaterThan(used);
    const { fileObject } = await deleteFile(fileObjectId);
    expect(fileObject).toMatchObject({ id: fileObjectId, state: "deleted", chargedBytes: 0n });
    expect(await harness.storageUsed()).toBe(used);
    await deleteFile(fileObjectId);
    expect(await harness.storageUsed()).toBe(used);
    expect((await harness.storedFiles()).some((name) => name.includes(fileObjectId))).toBe(false);
    expect((await harness.get(downloadUrl)).code).toBe("download_not_found");
    expect(await codeOf(harness.files.completeFileObject({ fileObjectId }, harness.call()))).toBe(
      "file_object_not_found",
    );
    const shown = await harness.admin.getFileObject({ fileObjectId }, harness.call());
    expect(shown).toMatchObject({ state: "deleted", projectClientId: harness.clientId });
  });

  it("refuses the upload of a deleted file, and does not allow the key of its grant to be used again", async () => {
    const bytes = await fixtures.png();
    const used = await harness.storageUsed();
    const { fileObjectId, uploadToken } = await harness.grant(bytes, "image/png");
    await deleteFile(fileObjectId);
    expect((await harness.put(uploadToken, bytes)).code).toBe("upload_token_invalid");
    expect(await harness.storageUsed()).toBe(used);
  });

  it("returns not found for an unknown File Object", async () => {
    expect(await codeOf(deleteFile(newId()))).toBe("file_object_not_found");
  });
});

describe("the list of File Objects", () => {
  it("filters File Objects by status, for one client and for all, and reads only one page of documents", async () => {
    const projectClientId = newId();
    const start = Date.parse("2026-03-01T00:00:00Z");
    const states = ["available", "available", "rejected", "expired", "deleted"];
    const documents = Array.from({ length: 500 }, (_, at) => ({
      _id: newId(),
      project_client_id: projectClientId,
      idempotency_key: `key-${at}`,
      idempotency_fingerprint: "f",
      state: states[at % 5],
      expected_sha256: "0".repeat(64),
      expected_content_type: "image/png",
      maximum_bytes: 10,
      upload_token_hash: `${projectClientId}-${at}`,
      grant_expires_at: new Date(start),
      size_bytes: null,
      charged_bytes: 0,
      owed: [],
      rejection_reason: null,
      malware_scan: null,
      upload_id: null,
      uploaded_at: null,
      created_at: new Date(start + at * 1_000),
    }));
    await mongo.db(harness.mongo.database).collection<StoredDocument>("file_objects").insertMany(documents);
    const list = async (more: object = {}) =>
      harness.objectAdmin.listFileObjects({ projectClientId, limit: 2, ...more }, harness.call());
    expect((await list({ status: "pending_upload", limit: 200 })).fileObjects).toHaveLength(100);
    expect((await list({ status: "available", limit: 200 })).fileObjects).toHaveLength(200);
    const { fileObjects, nextCursor } = await list({ status: "rejected" });
    expect(fileObjects.map(({ createdAt }) => Number(createdAt?.seconds))).toEqual(
      [497, 492].map((at) => start / 1_000 + at),
    );
    const examined = await harness.mongo.examined("file_objects", async () => {
      for (const status of ["", "rejected", "pending_upload", "deleted"]) await list({ status });
      await list({ status: "rejected", cursor: nextCursor });
    });
    // The status pending_upload covers four stored states, which are read concurrently.
    expect(Math.max(...examined)).toBeLessThanOrEqual(7);
    const other = newId();
    const latest = { ...documents[2], _id: newId(), project_client_id: other, upload_token_hash: other };
    await mongo
      .db(harness.mongo.database)
      .collection<StoredDocument>("file_objects")
      .insertOne({ ...latest, created_at: new Date(start + 500_000) });
    const anywhere = async (more: object = {}) =>
      harness.objectAdmin.listFileObjects({ limit: 2, ...more }, harness.call());
    const everywhere = await anywhere({ status: "rejected" });
    expect(everywhere.fileObjects.map((file) => file.projectClientId)).toEqual([other, projectClientId]);
    const oldest = await anywhere({ status: "rejected", oldestFirst: true });
    expect(oldest.fileObjects.map(({ createdAt }) => Number(createdAt?.seconds))).toEqual(
      [2, 7].map((at) => start / 1_000 + at),
    );
    const examinedOfAll = await harness.mongo.examined("file_objects", async () => {
      for (const status of ["", "rejected", "pending_upload"]) await anywhere({ status });
      await anywhere({ status: "rejected", cursor: everywhere.nextCursor });
      await anywhere({ status: "rejected", cursor: oldest.nextCursor, oldestFirst: true });
    });
    expect(Math.max(...examinedOfAll)).toBeLessThanOrEqual(7);
    expect(await codeOf(list({ status: "lost" }))).toBe("contract_violation");
  });
});

describe("a Public Asset that was taken down", () => {
  it("returns 410 for every URL of a taken-down asset and for a repeated publication, and deletes its bytes", async () => {
    const { fileObjectId } = await upload(await fixtures.png(50, 40));
    const { id, url, presetId } = await publish(fileObjectId);
    expect((await harness.get(url)).status).toBe(200);
    const { publicAsset } = await harness.objectAdmin.takeDownPublicAsset({ publicAssetId: id }, harness.call());
    expect(publicAsset?.versions.map((version) => version.url)).toEqual([url]);
    expect(publicAsset?.takenDownAt).toBeDefined();
    expect((await harness.get(url)).code).toBe("public_asset_taken_down");
    const again = await harness.files.createPublicAsset(
      { fileObjectId, imagePresetId: presetId },
      harness.call(newId()),
    );
    expect(again.url).toBe(url);
    expect((await harness.get(url, { headers: { "if-none-match": "*" } })).code).toBe("public_asset_taken_down");
    await eventually(async () => !(await harness.storedFiles()).some((name) => name.includes(id)));
  });

  it("refuses to take down an asset for a project that does not own it", async () => {
    const { fileObjectId } = await upload(await fixtures.png(70, 40));
    const { id: publicAssetId, url } = await publish(fileObjectId);
    const takeDown = (projectClientId: string) =>
      codeOf(harness.objectAdmin.takeDownPublicAsset({ publicAssetId, projectClientId }, harness.call()));
    expect(await takeDown(newId())).toBe("public_asset_not_found");
    expect((await harness.get(url)).status).toBe(200);
    expect(await takeDown(harness.clientId)).toBe("done");
    expect((await harness.get(url)).code).toBe("public_asset_taken_down");
  });

  it("lists taken-down assets, newest first, and reads only one page of documents", async () => {
    const { fileObjectId } = await upload(await fixtures.png(60, 40));
    const made = [await publish(fileObjectId), await publish(fileObjectId), await publish(fileObjectId)];
    await harness.objectAdmin.takeDownPublicAsset({ publicAssetId: made[2]?.id ?? "" }, harness.call());
    const list = (cursor = "") =>
      harness.objectAdmin.listPublicAssets({ projectClientId: harness.clientId, limit: 2, cursor }, harness.call());
    const first = await list();
    expect(first.publicAssets.map(({ id }) => id)).toEqual([made[2]?.id, made[1]?.id]);
    expect(first.publicAssets.map(({ takenDownAt }) => takenDownAt !== undefined)).toEqual([true, false]);
    expect((await list(first.nextCursor)).publicAssets[0]?.id).toBe(made[0]?.id);
    const examined = await harness.mongo.examined("public_assets", () => list(first.nextCursor));
    expect(Math.max(...examined)).toBeLessThanOrEqual(3);
    expect(await codeOf(harness.objectAdmin.takeDownPublicAsset({ publicAssetId: newId() }, harness.call()))).toBe(
      "public_asset_not_found",
    );
  });
});
