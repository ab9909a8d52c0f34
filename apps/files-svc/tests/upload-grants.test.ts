import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createFilesWorker } from "../src/create-files-worker.ts";
import { type FilesHarness, sha256, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

const request = {
  expectedSha256: sha256(Buffer.from("x")),
  expectedContentType: "text/plain",
  maximumBytes: 100n,
};

describe("upload grants", () => {
  it("refuses a repeated upload grant and names its File Object", async () => {
    const first = await harness.files.createUploadGrant(request, harness.call("repeat"));
    await expect(harness.files.createUploadGrant(request, harness.call("repeat"))).rejects.toMatchObject({
      code: "upload_grant_already_issued",
      details: { file_object_id: first.fileObjectId },
    });
  });

  it("refuses a key that was used for another request as reused", async () => {
    await harness.files.createUploadGrant(request, harness.call("reused"));
    const call = harness.call("reused");
    const other = {
      ...call,
      context: { ...call.context, idempotency: { key: "reused", fingerprint: "f".repeat(64) } },
    };
    await expect(harness.files.createUploadGrant(request, other)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });

  it("creates one File Object for fifty concurrent requests with one key", async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => harness.files.createUploadGrant(request, harness.call("storm"))),
    );
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  });

  it("releases the reservation of an expired grant once, with several sweepers running", async () => {
    const before = await harness.storageUsed();
    const bytes = Buffer.from("never sent");
    await harness.grant(bytes, "text/plain", 1_000_000);
    expect(await harness.storageUsed()).toBe(before + 1_000_000);
    const later = { logger: silentLogger(), clock: () => new Date(Date.now() + 16 * 60_000) };
    const workers = await Promise.all([1, 2].map(() => createFilesWorker(readServerConfig(harness.env), later)));
    await eventually(async () => (await harness.storageUsed()) === before, { what: "the reservation is released" });
    const level = async (): Promise<number> =>
      Number((await harness.quotaLevels.getQuotaLevel({ resource: "storage_bytes" }, harness.call())).used);
    await eventually(async () => (await level()) === 0, { what: "every compensation done" });
    await Promise.all(workers.map((worker) => worker.close()));
    expect(await harness.storageUsed()).toBe(before);
  });

  it("refuses to count a gauge quota that another service owns", async () => {
    const counting = harness.quotaLevels.getQuotaLevel({ resource: "audit_retention" }, harness.call());
    await expect(counting).rejects.toMatchObject({ code: "contract_violation" });
  });

  it("repeats a failed release once Redis is available again", async () => {
    const bytes = Buffer.from("hello");
    const grant = await harness.grant(bytes, "text/plain", 500);
    await harness.redis.kill();
    const answer = await harness.put(grant.uploadToken, bytes);
    expect(answer.status).toBe(200);
    // A pending compensation counts until it is executed, so a gauge that is restored now is correct after the
    // release.
    const level = await harness.quotaLevels.getQuotaLevel({ resource: "storage_bytes" }, harness.call());
    await harness.redis.start();
    await eventually(async () => {
      await harness.restoreGauge(Number(level.used));
      return true;
    });
    const later = { logger: silentLogger(), clock: () => new Date(Date.now() + 120_000) };
    const worker = await createFilesWorker(readServerConfig(harness.env), later);
    await eventually(async () => (await harness.storageUsed()) === Number(level.used) - 495, { what: "made up for" });
    await worker.close();
  });
});

describe("the operator RPCs", () => {
  it("requires the operator's token for admin RPCs", async () => {
    await expect(harness.guest.listImagePresets({}, harness.call())).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it("approves presets, and stores the same name with other settings as the next revision", async () => {
    const preset = { name: "avatar", format: "webp", maxWidth: 64, maxHeight: 64, quality: 80 };
    const { imagePreset: first } = await harness.admin.createImagePreset(preset, harness.call());
    const { imagePreset: same } = await harness.admin.createImagePreset(preset, harness.call());
    const { imagePreset: next } = await harness.admin.createImagePreset({ ...preset, quality: 70 }, harness.call());
    expect(same).toEqual(first);
    expect(next).toMatchObject({ id: first?.id, quality: 70, revision: 2 });
    expect((await harness.admin.listImagePresets({}, harness.call())).imagePresets).toEqual([next]);
    await expect(
      harness.admin.createImagePreset({ ...preset, format: "svg", quality: 101 }, harness.call()),
    ).rejects.toMatchObject({ code: "contract_violation", message: expect.stringContaining("format") });
  });
});
