import { randomBytes } from "node:crypto";
import { silentLogger } from "@platform/kit/process/telemetry";
import { isServiceError } from "@platform/kit/rpc/errors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createFilesServer } from "../src/create-files-server.ts";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";

let harness: FilesHarness;
beforeAll(async () => {
  harness = await startFilesHarness();
});
afterAll(() => harness.close());

/** Runs `work` with a second server that uses the same stores and other keys. */
async function withKeys<T>(
  keys: Record<string, string>,
  work: (files: FilesHarness["files"]) => Promise<T>,
): Promise<T> {
  const server = await createFilesServer(readServerConfig({ ...harness.env, ...keys }), { logger: silentLogger() });
  const client = connectFilesClient(server);
  try {
    return await work(client.files);
  } finally {
    client.close();
    server.stopServing();
    await server.close();
  }
}

test("refuses a repeated download grant after its service key was removed, and creates a grant for a new idempotency key", async () => {
  const bytes = Buffer.from("kept under a lost key");
  const { fileObjectId, uploadToken } = await harness.grant(bytes, "text/plain");
  await harness.put(uploadToken, bytes);
  await harness.files.completeFileObject({ fileObjectId }, harness.call());
  const grant = (files: FilesHarness["files"], key: string) =>
    files.createDownloadGrant({ fileObjectId }, harness.call(key));
  const first = await grant(harness.files, "lost");

  const newKey = randomBytes(32).toString("base64");
  const rotated = { SERVICE_KEY: newKey, SERVICE_KEY_PREVIOUS: harness.env.SERVICE_KEY ?? "" };
  expect(await withKeys(rotated, (files) => grant(files, "lost"))).toMatchObject({
    replayed: true,
    downloadUrl: first.downloadUrl,
  });
  await withKeys({ SERVICE_KEY: newKey }, async (files) => {
    const refused = await grant(files, "lost").catch((error: unknown) => error);
    expect(isServiceError(refused, "idempotency_key_reused"), String(refused)).toBe(true);
    expect((await grant(files, "new")).replayed).toBe(false);
  });
});
