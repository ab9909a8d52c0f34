import { newToken } from "@platform/kit/process/secrets";
import { FileObjectStatus } from "@platform/proto/files/v1/files_service";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FilesHarness, startFilesHarness } from "./files-harness.ts";
import { beginPut } from "./raw-request.ts";

const pace = { minimumRate: 64 * 1024, windowMs: 300, totalMs: 60_000 };
let harness: FilesHarness;
let nowMs = Date.now();
beforeAll(async () => {
  harness = await startFilesHarness({ overrides: { pace, clock: () => new Date(nowMs) } });
});
beforeEach(() => {
  nowMs = Date.now();
});
afterAll(() => harness.close());

const text = (length: number): Buffer<ArrayBuffer> => Buffer.alloc(length, "All work and no play.\n");

/** Expects that nothing of a rejected upload is left. */
async function expectNothingLeft(fileObjectId: string, usedBefore: number): Promise<void> {
  await eventually(async () => (await harness.storageUsed()) === usedBefore, { what: "the reservation is released" });
  const left = (await harness.storedFiles()).filter((name) => name.includes(fileObjectId));
  expect(left).toEqual([]);
  await expect(harness.files.completeFileObject({ fileObjectId }, harness.call())).rejects.toMatchObject({
    code: "file_object_not_uploaded",
  });
}

describe("an accepted upload", () => {
  it("processes an upload from grant through quarantine to download, and charges its real size", async () => {
    const before = await harness.storageUsed();
    const bytes = Buffer.from("Plain text, with an é.\n".repeat(1000));
    const grant = await harness.grant(bytes, "text/plain", bytes.byteLength + 500);
    expect(await harness.storageUsed()).toBe(before + bytes.byteLength + 500);

    const answer = await harness.put(grant.uploadToken, bytes);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toEqual({ data: { file_object_id: grant.fileObjectId } });
    await eventually(async () => (await harness.storageUsed()) === before + bytes.byteLength, { what: "settled" });

    const completed = await harness.files.completeFileObject({ fileObjectId: grant.fileObjectId }, harness.call());
    expect(completed).toMatchObject({ id: grant.fileObjectId, status: FileObjectStatus.AVAILABLE });
    expect(completed.rejectionReason).toBeUndefined();
    const again = await harness.files.completeFileObject({ fileObjectId: grant.fileObjectId }, harness.call());
    expect(again).toEqual(completed);
    const level = await harness.quotaLevels.getQuotaLevel({ resource: "storage_bytes" }, harness.call());
    expect(Number(level.used)).toBe(await harness.storageUsed());
  });

  it("accepts a chunked upload whose content type names a charset", async () => {
    const bytes = text(3_000_000);
    const grant = await harness.grant(bytes, "text/plain");
    const stream = new Blob([bytes]).stream();
    const response = await fetch(`${harness.baseUrl}/api/v1/file-uploads/${grant.uploadToken}`, {
      method: "PUT",
      headers: { "content-type": "text/plain; charset=utf-8" },
      body: stream,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(200);
  });

  it("accepts exactly one of a hundred PUTs with one token", async () => {
    const bytes = text(50_000);
    const grant = await harness.grant(bytes, "text/plain");
    const answers = await Promise.all(Array.from({ length: 100 }, () => harness.put(grant.uploadToken, bytes)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.code === "upload_token_invalid")).toHaveLength(99);
    expect((await harness.storedFiles()).filter((name) => name.includes(grant.fileObjectId))).toHaveLength(1);
  });
});

describe("a rejected upload", () => {
  const refusals: [string, { body?: Buffer<ArrayBuffer>; headers?: Record<string, string>; code: string }][] = [
    ["other bytes than the declared ones", { body: Buffer.from("x".repeat(1000)), code: "upload_checksum_mismatch" }],
    ["fewer bytes", { body: text(999), code: "upload_checksum_mismatch" }],
    ["one byte too many", { body: text(1001), code: "upload_too_large" }],
    ["another declared type", { headers: { "content-type": "image/png" }, code: "upload_content_type_mismatch" }],
    ["a type outside the six", { headers: { "content-type": "text/html" }, code: "unsupported_media_type" }],
    ["a content encoding", { headers: { "content-encoding": "gzip" }, code: "unsupported_media_type" }],
  ];
  it.each(refusals)(
    "consumes the token and leaves nothing after a refused upload: %s",
    async (_name, { body, headers, code }) => {
      const before = await harness.storageUsed();
      const bytes = text(1000);
      const grant = await harness.grant(bytes, "text/plain");
      const answer = await harness.put(grant.uploadToken, body ?? bytes, headers);
      expect(answer.code).toBe(code);
      expect((await harness.put(grant.uploadToken, bytes)).code).toBe("upload_token_invalid");
      await expectNothingLeft(grant.fileObjectId, before);
    },
  );

  it("refuses a chunked body that is one byte too long while the sender is still sending", async () => {
    const before = await harness.storageUsed();
    const bytes = text(100_000);
    const grant = await harness.grant(bytes, "text/plain");
    const put = await beginPut(harness.baseUrl, `/api/v1/file-uploads/${grant.uploadToken}`, {
      "content-type": "text/plain",
      "transfer-encoding": "chunked",
    });
    put.socket.write(`${(100_001).toString(16)}\r\n${text(100_001)}\r\n`);
    expect(await put.until(/x-platform-error/i)).toMatch(/^HTTP\/1\.1 500/);
    put.socket.destroy();
    await expectNothingLeft(grant.fileObjectId, before);
  });

  it("rejects a body that stalls with deadline_exceeded", async () => {
    const before = await harness.storageUsed();
    const bytes = text(200_000);
    const grant = await harness.grant(bytes, "text/plain");
    const put = await beginPut(harness.baseUrl, `/api/v1/file-uploads/${grant.uploadToken}`, {
      "content-type": "text/plain",
      "content-length": "200000",
    });
    put.socket.write(bytes.subarray(0, 10_000));
    await put.until(/x-platform-error/i);
    await eventually(() => put.isClosed(), { what: "the stalled connection closed" });
    await expectNothingLeft(grant.fileObjectId, before);
  });

  it("refuses an unknown, malformed or expired token", async () => {
    const bytes = text(10);
    expect((await harness.put(newToken(), bytes)).code).toBe("upload_token_invalid");
    expect((await harness.put("nonsense", bytes)).code).toBe("contract_violation");
    const grant = await harness.grant(bytes, "text/plain");
    nowMs += 15 * 60_000 + 1;
    expect((await harness.put(grant.uploadToken, bytes)).code).toBe("upload_token_invalid");
  });
});

describe("Expect: 100-continue", () => {
  const headers = { "content-type": "text/plain", "content-length": "1000", expect: "100-continue" };

  it("sends 100 Continue once the token is claimed", async () => {
    const bytes = text(1000);
    const grant = await harness.grant(bytes, "text/plain");
    const look = () =>
      harness.admin.getFileObject(
        { projectClientId: harness.clientId, fileObjectId: grant.fileObjectId },
        harness.call(),
      );
    // The state is also read before the upload, because the first read waits for identity-svc, which this test does
    // not have, longer than an upload may stall.
    expect((await look()).state).toBe("pending_upload");
    const put = await beginPut(harness.baseUrl, `/api/v1/file-uploads/${grant.uploadToken}`, headers);
    await put.until(/^HTTP\/1\.1 100 Continue/);
    const claimed = await look();
    expect(claimed.state).toBe("uploading");
    put.socket.write(bytes);
    await put.until(/HTTP\/1\.1 200 OK/);
    put.socket.destroy();
  });

  it("never sends 100 Continue for an invalid token", async () => {
    const put = await beginPut(harness.baseUrl, `/api/v1/file-uploads/${newToken()}`, headers);
    const answer = await put.until(/x-platform-error/i);
    expect(answer).not.toContain("100 Continue");
    put.socket.destroy();
  });
});
