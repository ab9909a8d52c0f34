import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventually } from "@platform/test-kit/eventually";
import { startTestS3 } from "@platform/test-kit/s3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";
import { watchMemory } from "./process-memory.ts";

const uploads = 24;
const uploadBytes = 30_000_000;
/** Number of bytes per second of all uploads together. */
const bytesPerSecond = 24_000_000;
const growthBytesMax = 400_000_000;

let s3: Awaited<ReturnType<typeof startTestS3>>;
let harness: FilesHarness;
let child: ChildProcess;
let client: ReturnType<typeof connectFilesClient>;
beforeAll(async () => {
  s3 = await startTestS3();
  harness = await startFilesHarness({ env: s3.env });
  const script = fileURLToPath(new URL("./crashing-server.ts", import.meta.url));
  child = spawn(process.execPath, [script], {
    // On a busy machine, it takes longer than usual to start all uploads, most of which then wait.
    env: { ...process.env, ...harness.env, PACE_WINDOW_MS: "600000" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line");
  client = connectFilesClient(JSON.parse(line as string));
});
afterAll(async () => {
  client?.close();
  child?.kill("SIGKILL");
  await harness?.close();
  await s3?.close();
});

/** Sends the bytes no faster than the upload's share of the rate. */
async function sendPaced(token: string, bytes: Buffer): Promise<number> {
  const outgoing = httpRequest(`${client.baseUrl}/api/v1/file-uploads/${token}`, {
    method: "PUT",
    headers: { "content-type": "text/plain", "content-length": bytes.byteLength },
  });
  const answered = once(outgoing, "response") as Promise<[IncomingMessage]>;
  const startedAtMs = performance.now();
  for (let at = 0; at < bytes.byteLength; at += 100_000) {
    const dueMs = startedAtMs + (at * uploads * 1000) / bytesPerSecond;
    if (dueMs > performance.now()) await delay(dueMs - performance.now());
    if (!outgoing.write(bytes.subarray(at, at + 100_000))) await once(outgoing, "drain");
  }
  outgoing.end();
  const [response] = await answered;
  response.resume();
  return response.statusCode ?? 0;
}

describe("uploads into S3", () => {
  test(`grows in memory by less than 400 MB during ${uploads} uploads of 30 MB at 24 MB/s`, async () => {
    const bytes = Buffer.alloc(uploadBytes, "A line of text that is uploaded into an S3 store.\n");
    const warm = await harness.grant(bytes.subarray(0, 6_000_000), "text/plain");
    expect(await sendPaced(warm.uploadToken, bytes.subarray(0, 6_000_000))).toBe(200);
    const grants = [];
    for (let made = 0; made < uploads; made += 1) grants.push(await harness.grant(bytes, "text/plain"));
    const growth = watchMemory(child.pid ?? 0);
    const statuses = await Promise.all(grants.map(({ uploadToken }) => sendPaced(uploadToken, bytes)));
    const grownBytes = growth.stop();
    expect(statuses).toEqual(grants.map(() => 200));
    expect(grownBytes).toBeLessThan(growthBytesMax);
  });

  test("refuses an upload beyond the memory budget before its token is claimed, and accepts it afterwards", async () => {
    const large = Buffer.alloc(6_000_000, "A line that is sent slowly.\n");
    // 256 MiB are enough for the blocks and the S3 parts of twenty-eight large uploads.
    const held = [];
    for (let made = 0; made < 28; made += 1) held.push(await harness.grant(large, "text/plain"));
    const requests = held.map(({ uploadToken }) => {
      const outgoing = httpRequest(`${client.baseUrl}/api/v1/file-uploads/${uploadToken}`, {
        method: "PUT",
        headers: { "content-type": "text/plain", "content-length": large.byteLength },
      });
      outgoing.write(large.subarray(0, 1_000));
      return { outgoing, answered: once(outgoing, "response") as Promise<[IncomingMessage]> };
    });
    const stateOf = async (fileObjectId: string): Promise<string> =>
      (await harness.admin.getFileObject({ projectClientId: harness.clientId, fileObjectId }, harness.call())).state;
    for (const { fileObjectId } of held) await eventually(async () => (await stateOf(fileObjectId)) === "uploading");
    const late = await harness.grant(large, "text/plain");
    const refused = await client.put(late.uploadToken, large);
    expect(refused.code).toBe("dependency_unavailable");
    expect(await stateOf(late.fileObjectId)).toBe("pending_upload");
    for (const { outgoing, answered } of requests) {
      outgoing.end(large.subarray(1_000));
      expect((await answered)[0].resume().statusCode).toBe(200);
    }
    expect((await client.put(late.uploadToken, large)).status).toBe(200);
  });
});
