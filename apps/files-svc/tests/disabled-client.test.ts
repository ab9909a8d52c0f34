import { silentLogger } from "@platform/kit/process/telemetry";
import { eventually } from "@platform/test-kit/eventually";
import { freePort } from "@platform/test-kit/free-port";
import { startTestIdentity } from "@platform/test-kit/identity";
import { afterAll, beforeAll, describe, it } from "vitest";
import { readServerConfig } from "../src/config.ts";
import { createFilesServer } from "../src/create-files-server.ts";
import { connectFilesClient, type FilesHarness, startFilesHarness } from "./files-harness.ts";

const bytes = Buffer.from("a private text\n");
/**
 * Maximum time in milliseconds until an announced change takes effect: one second, and another one for a busy
 * machine. Without the announcement, it would take at least four seconds.
 */
const pushMs = 2_000;
let harness: FilesHarness;
let identity: Awaited<ReturnType<typeof startTestIdentity>>;
let second: Awaited<ReturnType<typeof createFilesServer>>;
let replicas: Pick<FilesHarness, "get">[];
let clientId = "";
let url = "";

beforeAll(async () => {
  const port = await freePort();
  // No server listens at this port yet. files-svc can start without identity-svc.
  harness = await startFilesHarness({ env: { IDENTITY_GRPC: `127.0.0.1:${port}` } });
  second = await createFilesServer(readServerConfig(harness.env), { logger: silentLogger() });
  replicas = [harness, connectFilesClient(second)];
  identity = await startTestIdentity(harness.mongo, harness.redis.url, port);
  clientId = await identity.createClient();
  await harness.restoreGauge(0, clientId);
  const grant = await harness.grant(bytes, "text/plain", bytes.byteLength, clientId);
  await harness.put(grant.uploadToken, bytes);
  const { fileObjectId } = grant;
  await harness.files.completeFileObject({ fileObjectId }, harness.call(null, clientId));
  ({ downloadUrl: url } = await harness.files.createDownloadGrant({ fileObjectId }, harness.call("key", clientId)));
});
afterAll(async () => {
  await identity.close();
  second.stopServing();
  await second.close();
  await harness.close();
});

/** Waits until both replicas respond with this error code. */
const answersWithin = (code: string | null, timeoutMs: number) =>
  Promise.all(
    replicas.map((replica) =>
      eventually(async () => (await replica.get(url)).code === code, { timeoutMs, what: `answer ${code}` }),
    ),
  );

describe("the download links of a disabled Project Client", () => {
  it("returns download_not_found within a second of disabling the client, and serves the file within a second of enabling it", async () => {
    await answersWithin(null, pushMs);
    // The client is disabled once without measuring, because the first query after the start of identity-svc must
    // have ended before the announcement can be measured.
    await identity.disableClient(clientId);
    await answersWithin("download_not_found", 10_000);
    await identity.enableClient(clientId);
    await answersWithin(null, pushMs);
    await identity.disableClient(clientId);
    await answersWithin("download_not_found", pushMs);
    await identity.enableClient(clientId);
    await answersWithin(null, pushMs);
  });

  it("stops download links within ten seconds when Redis loses the announcement", async () => {
    await harness.redis.kill();
    await identity.disableClient(clientId);
    await answersWithin("download_not_found", 10_000);
    await harness.redis.start();
    await identity.enableClient(clientId);
    await answersWithin(null, 10_000);
  });
});
