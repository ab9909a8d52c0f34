import { newId, newToken } from "@platform/kit/process/secrets";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FilesHarness, sha256, startFilesHarness } from "./files-harness.ts";

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join(""));
const etag = `"${sha256(bytes)}"`;
let harness: FilesHarness;
let fileObjectId = "";
let url = "";
let nowMs = Date.now();

beforeAll(async () => {
  harness = await startFilesHarness({ overrides: { clock: () => new Date(nowMs) } });
  const grant = await harness.grant(bytes, "text/plain");
  await harness.put(grant.uploadToken, bytes);
  ({ fileObjectId } = grant);
  await harness.files.completeFileObject({ fileObjectId }, harness.call());
  url = (await harness.files.createDownloadGrant({ fileObjectId }, harness.call("shared"))).downloadUrl;
});
beforeEach(() => {
  nowMs = Date.now();
});
afterAll(() => harness.close());

const get = (headers: Record<string, string> = {}, method = "GET") => harness.get(url, { method, headers });

describe("a download URL", () => {
  it("serves the bytes repeatedly as an attachment, without caching or sniffing", async () => {
    for (const answer of [await get(), await get()]) {
      expect(answer.status).toBe(200);
      expect(answer.body.equals(bytes)).toBe(true);
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="[0-9a-f-]{36}\.txt"$/);
      expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("cache-control")).toBe("private, no-store");
      expect(answer.headers.get("etag")).toBe(etag);
    }
  });

  it("treats a URL that expired after five minutes like an unknown one", async () => {
    nowMs += 5 * 60_000;
    const late = await get();
    const never = await harness.get(`http://gateway/api/v1/file-downloads/${newToken()}`);
    const malformed = await harness.get("http://gateway/api/v1/file-downloads/nonsense");
    expect([late.code, never.code, malformed.code]).toEqual(Array(3).fill("download_not_found"));
  });

  it("returns the headers of GET and no body for HEAD", async () => {
    const head = await get({ range: "bytes=0-9" }, "HEAD");
    expect(head.status).toBe(200);
    expect(head.headers.get("content-length")).toBe(String(bytes.byteLength));
    expect(head.headers.get("accept-ranges")).toBe("bytes");
    expect(head.body).toHaveLength(0);
  });
});

describe("Range (RFC 9110)", () => {
  const size = bytes.byteLength;
  it.each([
    ["bytes=0-9", 0, 9],
    ["bytes=100-", 100, size - 1],
    ["bytes=-7", size - 7, size - 1],
    [`bytes=${size - 1}-${size + 500}`, size - 1, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
  ])("returns the requested part for the range %s", async (range, start, end) => {
    const answer = await get({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get("content-range")).toBe(`bytes ${start}-${end}/${size}`);
    expect(answer.body.equals(bytes.subarray(start, end + 1))).toBe(true);
  });

  it.each([[`bytes=${size}-`], ["bytes=-0"]])(
    "refuses the range %s, which is outside of the file, and names the size",
    async (range) => {
      const answer = await get({ range });
      expect(answer.code).toBe("range_not_satisfiable");
      expect(answer.headers.get("content-range")).toBe(`bytes */${size}`);
    },
  );

  it.each([["bytes=0-1,5-6"], ["bytes=9-1"], ["lines=1-2"], ["bytes=a-b"], ["bytes=-"]])(
    "ignores the invalid or unsupported range %s and serves the whole file",
    async (range) => {
      const answer = await get({ range });
      expect(answer.status).toBe(200);
      expect(answer.body).toHaveLength(size);
    },
  );
});

describe("preconditions (RFC 9110)", () => {
  it("returns 304 for If-None-Match with this ETag, even if it is weak or in a list", async () => {
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const answer = await get({ "if-none-match": value });
      expect([answer.status, answer.body.length, answer.headers.get("etag")]).toEqual([304, 0, etag]);
    }
    expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
  });

  it("ignores If-Modified-Since if the request also has If-None-Match", async () => {
    const modified = (await get()).headers.get("last-modified") ?? "";
    expect((await get({ "if-modified-since": modified })).status).toBe(304);
    expect((await get({ "if-modified-since": modified, "if-none-match": '"other"' })).status).toBe(200);
  });

  it("serves the file only if If-Match contains its ETag in the strong form", async () => {
    expect((await get({ "if-match": etag })).status).toBe(200);
    expect((await get({ "if-match": `W/${etag}` })).status).toBe(412);
    expect((await get({ "if-match": '"other"' })).status).toBe(412);
  });

  it("serves the requested range if If-Range matches, and the whole file otherwise", async () => {
    expect((await get({ range: "bytes=0-9", "if-range": etag })).status).toBe(206);
    expect((await get({ range: "bytes=0-9", "if-range": '"other"' })).status).toBe(200);
    expect((await get({ range: "bytes=0-9", "if-range": `W/${etag}` })).status).toBe(200);
    const modified = (await get()).headers.get("last-modified") ?? "";
    expect((await get({ range: "bytes=0-9", "if-range": modified })).status).toBe(206);
  });
});

describe("download grants", () => {
  it("recovers the same URL for a repeated key, and creates another for another key", async () => {
    const first = await harness.files.createDownloadGrant({ fileObjectId }, harness.call("again"));
    const repeat = await harness.files.createDownloadGrant({ fileObjectId }, harness.call("again"));
    const other = await harness.files.createDownloadGrant({ fileObjectId }, harness.call("another"));
    expect(repeat).toEqual({ ...first, replayed: true });
    expect(first.replayed).toBe(false);
    expect(other.downloadUrl).not.toBe(first.downloadUrl);
  });

  it("creates one download grant for fifty concurrent requests with one key", async () => {
    const grants = await Promise.all(
      Array.from({ length: 50 }, () => harness.files.createDownloadGrant({ fileObjectId }, harness.call("storm"))),
    );
    expect(new Set(grants.map((grant) => grant.downloadUrl)).size).toBe(1);
    expect(grants.filter((grant) => !grant.replayed)).toHaveLength(1);
  });

  it("refuses a download grant for another client's File Object and before the upload", async () => {
    const stranger = harness.call("x", "01999999-0000-7000-8000-000000000001");
    await expect(harness.files.createDownloadGrant({ fileObjectId }, stranger)).rejects.toMatchObject({
      code: "file_object_not_found",
    });
    const pending = await harness.grant(bytes, "text/plain");
    await expect(
      harness.files.createDownloadGrant({ fileObjectId: pending.fileObjectId }, harness.call("early")),
    ).rejects.toMatchObject({ code: "file_object_not_available" });
  });
});

describe("a File Object that is attached to an email", () => {
  const list = (fileObjectIds: string[], tenant?: string) =>
    harness.attachments.listAttachableFiles({ fileObjectIds }, harness.call(null, tenant));
  const read = (offset: number, id = fileObjectId, tenant?: string) =>
    harness.attachments.readAttachableFile({ fileObjectId: id, offset: BigInt(offset) }, harness.call(null, tenant));

  it("lists only available files of the client, each with its size", async () => {
    const { fileObjectId: pending } = await harness.grant(bytes, "text/plain");
    const { files } = await list([fileObjectId, pending, newId()]);
    expect(files).toMatchObject([{ id: fileObjectId, contentType: "text/plain", bytes: BigInt(bytes.byteLength) }]);
    expect((await list([fileObjectId], newId())).files).toEqual([]);
  });

  it("reads an attachment in parts of at most 1 MiB, down to an empty one", async () => {
    const large = Buffer.alloc(1024 * 1024 + 1, "a");
    const grant = await harness.grant(large, "text/plain");
    await harness.put(grant.uploadToken, large);
    await harness.files.completeFileObject({ fileObjectId: grant.fileObjectId }, harness.call());
    const lengthOf = async (offset: number) => (await read(offset, grant.fileObjectId)).content.length;
    expect([await lengthOf(0), await lengthOf(1024 * 1024), await lengthOf(1024 * 1024 + 1)]).toEqual([
      1024 * 1024,
      1,
      0,
    ]);
    expect(Buffer.from((await read(0)).content).equals(bytes)).toBe(true);
    await expect(read(-1)).rejects.toMatchObject({ code: "contract_violation" });
  });

  it("does not read another client's attachment (confused deputy)", async () => {
    await expect(read(0, fileObjectId, newId())).rejects.toMatchObject({ code: "file_object_not_found" });
  });
});
