import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import type { RunningService } from "@platform/kit/service/start";
import { eventually } from "@platform/test-kit/eventually";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createFilesServer } from "../src/create-files-server.ts";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";
import { beginPut, type RawRequest } from "./raw-request.ts";

let harness: FilesHarness;
let skewMs = 0;
beforeAll(async () => {
  harness = await startFilesHarness({ overrides: { clock: () => new Date(Date.now() + skewMs) } });
});
afterAll(() => harness.close());

const bytes = Buffer.alloc(3_000_000, "A line of a file whose upload breaks off.\n");
type Grant = { readonly fileObjectId: string; readonly uploadToken: string };

const stateOf = async ({ fileObjectId }: Grant): Promise<string> =>
  (await harness.admin.getFileObject({ projectClientId: harness.clientId, fileObjectId }, harness.call())).state;
const storedOf = async ({ fileObjectId }: Grant): Promise<number> =>
  (await harness.storedFiles()).filter((name) => name.includes(fileObjectId)).length;

/** Sends the head and half of the body, as the gateway would forward it. */
async function beginHalf(baseUrl: string, grant: Grant, uploadId: string = newId()): Promise<RawRequest> {
  const put = await beginPut(baseUrl, `/api/v1/file-uploads/${grant.uploadToken}`, {
    "content-type": "text/plain",
    "content-length": String(bytes.byteLength),
    "x-platform-upload-id": uploadId,
  });
  put.socket.write(bytes.subarray(0, 1_500_000));
  await eventually(async () => (await storedOf(grant)) === 1, { what: "bytes arrive" });
  return put;
}

/**
 * Repeats the upload as a client does that follows `retryable`. Returns the codes of the rejections and the last
 * status.
 */
async function repeat(grant: Grant): Promise<{ refusals: Set<string | null>; status: number }> {
  const refusals = new Set<string | null>();
  const status = await eventually(
    async () => {
      const answer = await harness.put(grant.uploadToken, bytes);
      if (answer.code === "dependency_unavailable") refusals.add(answer.code);
      return answer.code === "dependency_unavailable" ? null : answer.status;
    },
    { timeoutMs: 60_000, what: "the repeat is answered" },
  );
  return { refusals, status };
}

async function startSecondServer(
  env: Record<string, string> = {},
): Promise<{ server: RunningService; baseUrl: string }> {
  const server = await createFilesServer(readServerConfig({ ...harness.env, ...env }), { logger: silentLogger() });
  return { server, baseUrl: `http://127.0.0.1:${server.httpPort}` };
}

describe("an upload interrupted by the service", () => {
  test("accepts an upload token again immediately after its process stopped at TRANSFER_DRAIN_SECONDS", async () => {
    const { server, baseUrl } = await startSecondServer({ TRANSFER_DRAIN_SECONDS: "1" });
    const grant = await harness.grant(bytes, "text/plain");
    await beginHalf(baseUrl, grant);
    server.stopServing();
    await server.close();
    expect(await stateOf(grant)).toBe("pending_upload");
    expect(await storedOf(grant)).toBe(0);
    expect((await harness.put(grant.uploadToken, bytes)).status).toBe(200);
  });

  test("continues an upload while its process stops, and finishes it within the drain time", async () => {
    const { server, baseUrl } = await startSecondServer({ TRANSFER_DRAIN_SECONDS: "60" });
    const grant = await harness.grant(bytes, "text/plain");
    const put = await beginHalf(baseUrl, grant);
    server.stopServing();
    const closed = server.close();
    put.socket.write(bytes.subarray(1_500_000));
    await put.until(/HTTP\/1\.1 200 OK/);
    await closed;
    await eventually(async () => (await stateOf(grant)) === "available");
  });

  test("returns 503 for the token of an upload whose process was killed, and then accepts the token again", async () => {
    const script = fileURLToPath(new URL("./crashing-server.ts", import.meta.url));
    const env = { ...process.env, ...harness.env, UPLOAD_LEASE_SECONDS: "2" };
    const child: ChildProcess = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
    const client = connectFilesClient(JSON.parse(line as string));
    client.close();
    const grant = await harness.grant(bytes, "text/plain");
    await beginHalf(client.baseUrl, grant);
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    expect(await repeat(grant)).toEqual({ refusals: new Set(["dependency_unavailable"]), status: 200 });
  });

  test("returns 503 for the token of an upload whose gateway died, and then accepts the token again", async () => {
    const grant = await harness.grant(bytes, "text/plain");
    const put = await beginHalf(harness.baseUrl, grant);
    put.socket.destroy();
    expect(await repeat(grant)).toEqual({ refusals: new Set(["dependency_unavailable"]), status: 200 });
  });

  test("accepts the token of an interrupted upload again even if its grant expired during the upload", async () => {
    const { server, baseUrl } = await startSecondServer({ TRANSFER_DRAIN_SECONDS: "1" });
    const grant = await harness.grant(bytes, "text/plain");
    await beginHalf(baseUrl, grant);
    skewMs = 0;
    server.stopServing();
    await server.close();
    skewMs = 14 * 60_000;
    expect((await harness.put(grant.uploadToken, bytes)).status).toBe(200);
    skewMs = 0;
  });
});

describe("an upload interrupted by its sender", () => {
  const abort = (grant: Grant, uploadId: string): Promise<Response> =>
    fetch(`${harness.baseUrl}/api/v1/file-uploads/${grant.uploadToken}`, {
      method: "DELETE",
      headers: { "x-platform-upload-id": uploadId },
    });

  test("consumes the token of an upload whose sender disconnected, and leaves neither bytes nor a charge", async () => {
    const before = await harness.storageUsed();
    const grant = await harness.grant(bytes, "text/plain");
    const uploadId = newId();
    const put = await beginHalf(harness.baseUrl, grant, uploadId);
    put.socket.destroy();
    expect((await abort(grant, uploadId)).status).toBe(204);
    expect((await harness.put(grant.uploadToken, bytes)).code).toBe("upload_token_invalid");
    await eventually(async () => (await harness.storageUsed()) === before, { what: "the reservation is released" });
    await eventually(async () => (await storedOf(grant)) === 0, { what: "the bytes removed" });
  });

  test("does not interrupt another upload with the same token", async () => {
    const grant = await harness.grant(bytes, "text/plain");
    const put = await beginHalf(harness.baseUrl, grant);
    expect((await abort(grant, newId())).status).toBe(204);
    put.socket.write(bytes.subarray(1_500_000));
    await put.until(/HTTP\/1\.1 200 OK/);
    put.socket.destroy();
  });
});

test("keeps the next upload if a paused process that has lost the first one resumes", async () => {
  const grant = await harness.grant(bytes, "text/plain");
  const put = await beginHalf(harness.baseUrl, grant);
  const { server, baseUrl } = await startSecondServer();
  const later = connectFilesClient(server);
  // For all other processes, the lease of the first process expires, as if that process had been paused.
  skewMs = 90_000;
  await eventually(async () => (await stateOf(grant)) === "pending_upload", { what: "released" });
  skewMs = 0;
  expect((await later.put(grant.uploadToken, bytes)).status).toBe(200);
  put.socket.write(bytes.subarray(1_500_000));
  await put.until(/x-platform-error/i);
  await eventually(async () => (await stateOf(grant)) === "available", { what: "available" });
  expect(await storedOf(grant)).toBe(1);
  expect(baseUrl).toBe(later.baseUrl);
  later.close();
  server.stopServing();
  await server.close();
});
