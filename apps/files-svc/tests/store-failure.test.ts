import { afterAll, beforeAll, expect, test } from "vitest";
import { type FilesHarness, sha256, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

test("returns dependency_unavailable while the store fails, and creates the upload grant when the request is repeated", async () => {
  const { mongo, files } = harness;
  const request = {
    expectedSha256: sha256(Buffer.from("x")),
    expectedContentType: "text/plain",
    maximumBytes: 1n,
  };
  const grant = () => files.createUploadGrant(request, harness.call("key"));
  mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1_000 });
  await expect(grant()).rejects.toMatchObject({ code: "dependency_unavailable", retryAfterSeconds: 1 });
  mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 1, isDone: true });
  expect((await grant()).fileObjectId).not.toBe("");
});

test("creates one preset for concurrent approvals, even if the store fails", async () => {
  const { mongo, admin } = harness;
  const preset = { name: "wide", format: "webp", maxWidth: 10, maxHeight: 10, quality: 80 };
  mongo.fail({ command: "insert", code: 1, message: "deadlock detected", times: 3 });
  const made = await Promise.all(Array.from({ length: 5 }, () => admin.createImagePreset(preset, harness.call())));
  expect(new Set(made.map((reply) => reply.imagePreset?.id)).size).toBe(1);
});

test("returns dependency_unavailable, not internal_error, for an upload while the store fails", async () => {
  const bytes = Buffer.from("x");
  const { uploadToken } = await harness.grant(bytes, "text/plain");
  harness.mongo.fail({ command: "findAndModify", code: 1, message: "deadlock detected", times: 1_000 });
  const { code } = await harness.put(uploadToken, bytes);
  harness.mongo.fail({ command: "none", code: 1, message: "", times: 0 });
  expect(code).toBe("dependency_unavailable");
});
