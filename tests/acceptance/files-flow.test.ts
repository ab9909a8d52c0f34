import { createHash, randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { acceptanceStack, api, ctl, newClient, type TestClient } from "./stack.ts";

const { baseUrl } = acceptanceStack;
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

async function grant(
  client: TestClient,
  bytes: Uint8Array,
  contentType = "text/plain",
  maximumBytes = bytes.byteLength,
) {
  const reply = await api("POST", "/file-objects/upload-grants", {
    credential: client.credential,
    body: { expected_sha256: sha256(bytes), expected_content_type: contentType, maximum_bytes: maximumBytes },
  });
  expect(reply.status).toBe(200);
  return reply.json.data as { file_object_id: string; upload_token: string; expires_at: string };
}

const put = (token: string, bytes: Buffer<ArrayBuffer>, contentType = "application/octet-stream") =>
  fetch(`${baseUrl}/api/v1/file-uploads/${token}`, {
    method: "PUT",
    headers: { "content-type": contentType },
    body: bytes,
  });

const storageUsed = async (client: TestClient): Promise<number> => {
  const rows: { resource: string; used: number }[] = await ctl(["quotas", "show", "--client", client.id]);
  return rows.find((row) => row.resource === "storage_bytes")?.used ?? -1;
};

describe("a file through the API", () => {
  test("grants, uploads, completes and downloads a file, charged at its real size", async () => {
    const client = await newClient();
    const bytes = Buffer.from("A plain text file.\n".repeat(500));
    const granted = await grant(client, bytes, "text/plain", 50_000);
    expect(granted.upload_token).toMatch(/^[0-9a-f]{64}$/);
    expect(Date.parse(granted.expires_at)).toBeGreaterThan(Date.now());
    expect(await storageUsed(client)).toBe(50_000);

    const uploaded = await put(granted.upload_token, bytes);
    expect(uploaded.status).toBe(200);
    expect(await uploaded.json()).toEqual({ data: { file_object_id: granted.file_object_id } });

    const path = `/file-objects/${granted.file_object_id}`;
    const completed = await api("POST", `${path}/complete`, { credential: client.credential, idempotencyKey: null });
    expect(completed.json).toEqual({
      data: { id: granted.file_object_id, status: "available", rejection_reason: null },
    });
    const key = randomUUID();
    const request = { credential: client.credential, idempotencyKey: key };
    const first = await api("POST", `${path}/download-grants`, request);
    const repeat = await api("POST", `${path}/download-grants`, request);
    expect(repeat.json).toEqual(first.json);
    expect(repeat.headers.get("idempotency-replayed")).toBe("true");
    const url: string = first.json.data.download_url;
    expect(url.startsWith(`${baseUrl}/api/v1/file-downloads/`)).toBe(true);

    const got = await fetch(url);
    expect(got.status).toBe(200);
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true);
    expect(got.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    expect(got.headers.get("x-correlation-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(got.headers.get("x-platform-error")).toBeNull();
    expect(await storageUsed(client)).toBe(bytes.byteLength);
  });

  test("serves Range and HEAD through the gateway, and returns the envelope and the size for a range outside the file", async () => {
    const client = await newClient();
    const bytes = Buffer.from("0123456789".repeat(100));
    const granted = await grant(client, bytes);
    await put(granted.upload_token, bytes, "text/plain");
    const path = `/file-objects/${granted.file_object_id}`;
    await api("POST", `${path}/complete`, { credential: client.credential });
    const url = (await api("POST", `${path}/download-grants`, { credential: client.credential })).json.data
      .download_url;
    const part = await fetch(url, { headers: { range: "bytes=995-" } });
    expect([part.status, await part.text(), part.headers.get("content-range")]).toEqual([
      206,
      "56789",
      "bytes 995-999/1000",
    ]);
    const head = await fetch(url, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "1000"]);
    const outside = await fetch(url, { headers: { range: "bytes=1000-" } });
    expect([outside.status, outside.headers.get("content-range")]).toEqual([416, "bytes */1000"]);
    expect(await outside.json()).toMatchObject({ error: { code: "range_not_satisfiable", retryable: false } });
    const unknown = await fetch(`${baseUrl}/api/v1/file-downloads/${randomBytes(32).toString("hex")}`);
    expect([unknown.status, ((await unknown.json()) as any).error.code]).toEqual([404, "download_not_found"]);
  });

  test("publishes an image under a preset and serves it to anyone", async () => {
    const client = await newClient();
    const bytes = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const granted = await grant(client, bytes, "image/png");
    await put(granted.upload_token, bytes, "image/png");
    const path = `/file-objects/${granted.file_object_id}`;
    const completed = await api("POST", `${path}/complete`, { credential: client.credential });
    expect(completed.json.data).toMatchObject({ status: "available", rejection_reason: null });
    const name = `preset-${randomUUID()}`;
    const size = ["--max-width", "64", "--max-height", "64", "--quality", "80"];
    const preset = await ctl(["image-presets", "create", "--name", name, "--format", "webp", ...size]);
    const request = { credential: client.credential, body: { image_preset_id: preset.id } };
    const asset = await api("POST", `${path}/public-assets`, request);
    expect(asset.status).toBe(200);
    expect(asset.json.data).toMatchObject({ version: 1, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const got = await fetch(asset.json.data.url);
    expect(got.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(sha256(Buffer.from(await got.arrayBuffer()))).toBe(asset.json.data.sha256);
    const again = await api("POST", `${path}/public-assets`, request);
    expect(again.json).toEqual(asset.json);
    const unknown = await api("POST", `${path}/public-assets`, { ...request, body: { image_preset_id: randomUUID() } });
    expect([unknown.status, unknown.json.error.code]).toEqual([422, "image_preset_not_found"]);
  });
});

describe("refusals", () => {
  test.each([
    ["other bytes", 422, "upload_checksum_mismatch", Buffer.from("other"), "text/plain"],
    ["too many bytes", 422, "upload_too_large", Buffer.from("hello!"), "text/plain"],
    ["another type", 422, "upload_content_type_mismatch", Buffer.from("hello"), "image/png"],
    ["a type outside the six", 415, "unsupported_media_type", Buffer.from("hello"), "text/html"],
  ])("refuses %s in the envelope, uses up the token and charges nothing", async (_name, status, code, body, type) => {
    const client = await newClient();
    const granted = await grant(client, Buffer.from("hello"));
    const refused = await put(granted.upload_token, body, type);
    expect(refused.status).toBe(status);
    expect(await refused.json()).toMatchObject({ error: { code, retryable: false, details: expect.any(Object) } });
    const second = await put(granted.upload_token, Buffer.from("hello"));
    expect([second.status, ((await second.json()) as any).error.code]).toEqual([422, "upload_token_invalid"]);
    await expect.poll(() => storageUsed(client), { timeout: 10_000 }).toBe(0);
    const path = `/file-objects/${granted.file_object_id}/complete`;
    const completed = await api("POST", path, { credential: client.credential });
    expect([completed.status, completed.json.error.code]).toEqual([422, "file_object_not_uploaded"]);
  });

  test("refuses a malformed token at path:uploadToken", async () => {
    const refused = await put("NOT-A-TOKEN", Buffer.from("x"));
    expect(refused.status).toBe(422);
    const { error } = (await refused.json()) as any;
    expect([error.code, error.details.violations[0].path]).toEqual(["contract_violation", "path:uploadToken"]);
  });

  test("rejects a grant with a repeated key, names its File Object and charges nothing", async () => {
    const client = await newClient();
    const body = { expected_sha256: "a".repeat(64), expected_content_type: "text/plain", maximum_bytes: 1000 };
    const request = { credential: client.credential, idempotencyKey: randomUUID(), body };
    const first = await api("POST", "/file-objects/upload-grants", request);
    const repeat = await api("POST", "/file-objects/upload-grants", request);
    expect([repeat.status, repeat.json.error.code]).toEqual([422, "upload_grant_already_issued"]);
    expect(repeat.json.error.details).toEqual({ file_object_id: first.json.data.file_object_id });
    const other = await api("POST", "/file-objects/upload-grants", { ...request, body: { ...body, maximum_bytes: 5 } });
    expect([other.status, other.json.error.code]).toEqual([422, "idempotency_key_reused"]);
    await expect.poll(() => storageUsed(client), { timeout: 10_000 }).toBe(1000);
  });

  test("accepts a grant at the storage quota, and refuses one past it with 429", async () => {
    const client = await newClient();
    await ctl(["quotas", "set", "--client", client.id, "--resource", "storage_bytes", "--limit", "1000"]);
    const ask = (maximumBytes: number) =>
      api("POST", "/file-objects/upload-grants", {
        credential: client.credential,
        body: { expected_sha256: "b".repeat(64), expected_content_type: "text/plain", maximum_bytes: maximumBytes },
      });
    await expect.poll(async () => (await ask(1001)).status, { timeout: 10_000 }).toBe(429);
    expect((await ask(1000)).status).toBe(200);
    const refused = await ask(1);
    expect(refused.status).toBe(429);
    expect(refused.json.error).toMatchObject({
      code: "platform_quota_exceeded",
      details: { resource: "storage_bytes", used: 1000, limit: 1000, retry_after_seconds: 60 },
    });
  });

  test("hides another Project Client's File Object", async () => {
    const [owner, stranger] = await Promise.all([newClient(), newClient()]);
    const granted = await grant(owner, Buffer.from("hello"));
    for (const operation of ["complete", "download-grants"]) {
      const path = `/file-objects/${granted.file_object_id}/${operation}`;
      const refused = await api("POST", path, { credential: stranger.credential });
      expect([refused.status, refused.json.error.code]).toEqual([422, "file_object_not_found"]);
    }
  });
});
