import { FileObjectStatus } from "@platform/proto/files/v1/files_service";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FilesHarness, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

describe("the way of a file", () => {
  it("goes from grant to quarantine to available to download", async () => {
    const bytes = Buffer.from("Plain text, with an é.\n".repeat(1000));
    const grant = await harness.grant(bytes, "text/plain", bytes.byteLength + 500);
    expect(grant.uploadToken).toMatch(/^[0-9a-f]{64}$/);

    const answer = await harness.put(grant.uploadToken, bytes);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toEqual({ data: { file_object_id: grant.fileObjectId } });

    const completed = await harness.files.completeFileObject({ fileObjectId: grant.fileObjectId }, harness.call());
    expect(completed).toMatchObject({ id: grant.fileObjectId, status: FileObjectStatus.AVAILABLE });
    expect(completed.rejectionReason).toBeUndefined();

    const download = await harness.files.createDownloadGrant(
      { fileObjectId: grant.fileObjectId },
      harness.call("dl-1"),
    );
    const got = await harness.get(download.downloadUrl);
    expect(got.status).toBe(200);
    expect(got.body.equals(bytes)).toBe(true);
    expect(got.headers.get("content-disposition")).toMatch(/^attachment;/);
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    expect(got.headers.get("cache-control")).toBe("private, no-store");

    await eventually(async () => (await harness.storageUsed()) === bytes.byteLength, {
      what: "settled to the real size",
    });
  });
});
