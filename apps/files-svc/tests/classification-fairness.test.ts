import { newId } from "@platform/kit/process/secrets";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { FileContentType } from "../src/domain/file-object.ts";
import * as fixtures from "./file-fixtures.ts";
import { type FilesHarness, sha256, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

/** Uploads a file for a Project Client. @returns the File Object's id */
async function upload(clientId: string, bytes: Buffer<ArrayBuffer>, contentType: FileContentType): Promise<string> {
  const granted = await harness.files.createUploadGrant(
    { expectedSha256: sha256(bytes), expectedContentType: contentType, maximumBytes: BigInt(bytes.byteLength) },
    harness.call(newId(), clientId),
  );
  expect((await harness.put(granted.uploadToken, bytes)).status).toBe(200);
  return granted.fileObjectId;
}

async function isDone(projectClientId: string, fileObjectId: string): Promise<boolean> {
  const { state } = await harness.admin.getFileObject({ projectClientId, fileObjectId }, harness.call());
  return state !== "quarantined";
}

it("classifies another client's image immediately while one client's twelve hostile PDFs are inspected", async () => {
  const [hostile, honest] = [newId(), newId()];
  // Each file unpacks to almost the maximum that is unpacked of one document.
  const packed = fixtures.objectStream(" ".repeat(16 * 1024 * 1024 - 1024));
  const pdf = fixtures.pdf(
    "",
    Array.from({ length: 15 }, () => packed),
  );
  const pdfs = await Promise.all(Array.from({ length: 12 }, () => upload(hostile, pdf, "application/pdf")));
  const image = await upload(honest, await fixtures.png(), "image/png");
  await eventually(() => isDone(honest, image), { timeoutMs: 120_000, everyMs: 10, what: "the image is classified" });
  const done = (await Promise.all(pdfs.map((id) => isDone(hostile, id)))).filter(Boolean);
  // One hostile file may be finished when the image arrives, and another one while the image waits for a child
  // process to start.
  expect(done.length).toBeLessThanOrEqual(3);
  await eventually(async () => (await Promise.all(pdfs.map((id) => isDone(hostile, id)))).every(Boolean), {
    timeoutMs: 180_000,
    everyMs: 200,
    what: "the PDFs are classified, too",
  });
});
