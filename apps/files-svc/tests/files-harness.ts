import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "@platform/kit/process/secrets";
import { silentLogger } from "@platform/kit/process/telemetry";
import { type CallOptions, connectGrpc, decodeErrorDetail, steadyNowMs } from "@platform/kit/rpc/client";
import { FileAttachmentService } from "@platform/proto/files/v1/file_attachment";
import { FileObjectAdminService } from "@platform/proto/files/v1/file_object_admin";
import { FilesAdminService } from "@platform/proto/files/v1/files_admin";
import { FilesService, QuotaLevelService } from "@platform/proto/files/v1/files_service";
import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { quotaKey } from "@platform/quota/quota-windows";
import { eventually } from "@platform/test-kit/eventually";
import { startTestMongo } from "@platform/test-kit/mongo";
import { startTestRedis } from "@platform/test-kit/redis";
import { readServerConfig, readWorkerConfig } from "../src/config.ts";
import { createFilesServer, type FilesServerOverrides } from "../src/create-files-server.ts";
import { createFilesWorker } from "../src/create-files-worker.ts";
import type { fileExtensions } from "../src/domain/file-object.ts";

export const operatorToken = "operator-token-of-the-files-tests-0123456789";

/** SHA-256 as 64 lowercase hex characters. */
export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** A response of the service's HTTP port. The code comes from the error header, which the gateway would render. */
export type BytesAnswer = {
  readonly status: number;
  readonly code: string | null;
  readonly headers: Headers;
  readonly body: Buffer;
};

export type FilesHarness = Awaited<ReturnType<typeof startFilesHarness>>;

/**
 * Starts MongoDB, Redis and a blob folder for one test file, and a files-svc on them: a server and, unless it is
 * disabled, a worker.
 */
export async function startFilesHarness(
  options: { env?: Record<string, string>; overrides?: FilesServerOverrides; hasWorker?: boolean } = {},
) {
  const mongo = await startTestMongo();
  const redis = await startTestRedis();
  const folder = await mkdtemp(join(tmpdir(), "files-"));
  const env: Record<string, string> = {
    MONGODB_URI: mongo.uri,
    MONGODB_DATABASE: mongo.database,
    REDIS_URL: redis.url,
    SERVICE_KEY: randomBytes(32).toString("base64"),
    OPERATOR_TOKEN: operatorToken,
    BLOB_DIRECTORY: join(folder, "blobs"),
    WORK_DIRECTORY: join(folder, "work"),
    GRPC_PORT: "0",
    HTTP_PORT: "0",
    PROBE_PORT: "0",
    LOG_LEVEL: "silent",
    ...options.env,
  };
  const overrides = { logger: silentLogger(), ...options.overrides };
  const server = await createFilesServer(readServerConfig(env), overrides);
  const worker = options.hasWorker === false ? null : await createFilesWorker(readWorkerConfig(env), overrides);
  const client = connectFilesClient(server);
  const redisConnection = connectRedis(redis.url, () => {});
  const quota = createQuota(redisConnection);
  const clientId = newId();
  await eventually(() => quota.restoreGauge(clientId, "storage_bytes", async () => 0));

  return {
    ...client,
    mongo,
    redis,
    env,
    server,
    worker,
    clientId,
    blobFolder: env.BLOB_DIRECTORY ?? "",
    call: (key: string | null = null, tenant = clientId) => callOptions(tenant, key),
    restoreGauge: (used: number, tenant = clientId) => quota.restoreGauge(tenant, "storage_bytes", async () => used),
    storageUsed: () => quota.used(clientId, "storage_bytes"),
    /** Grants an upload as the gateway does, which spends the reservation first. */
    grant: async (
      bytes: Uint8Array,
      contentType: keyof typeof fileExtensions,
      maximumBytes = bytes.byteLength,
      tenant = clientId,
    ) => {
      await redisConnection.incrby(quotaKey(tenant, "storage_bytes"), maximumBytes);
      return client.files.createUploadGrant(
        { expectedSha256: sha256(bytes), expectedContentType: contentType, maximumBytes: BigInt(maximumBytes) },
        callOptions(tenant, newId()),
      );
    },
    /** Lists every file below the blob folder. */
    storedFiles: async () => {
      const entries = await readdir(env.BLOB_DIRECTORY ?? "", { recursive: true, withFileTypes: true }).catch(() => []);
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    close: async () => {
      client.close();
      redisConnection.disconnect();
      server.stopServing();
      await Promise.all([server.close(), worker?.close()]);
      await redis.close();
      await mongo.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function callOptions(clientId: string, key: string | null): CallOptions {
  return {
    context: {
      correlationId: newId(),
      operation: "test",
      projectClient: { id: clientId, environment: "development" },
      idempotency: key === null ? null : { key, fingerprint: sha256(Buffer.from(key)) },
    },
    deadlineMs: steadyNowMs() + 30_000,
  };
}

/** Clients for the RPCs and the bytes of a running files-svc. */
export function connectFilesClient(server: { readonly grpcPort: number; readonly httpPort: number }) {
  const connection = connectGrpc({ address: `127.0.0.1:${server.grpcPort}`, tls: null });
  const admin = connectGrpc({
    address: `127.0.0.1:${server.grpcPort}`,
    tls: null,
    metadata: { authorization: `Bearer ${operatorToken}`, "x-operator-reason": "test" },
  });
  const baseUrl = `http://127.0.0.1:${server.httpPort}`;
  return {
    baseUrl,
    files: connection.service(FilesService),
    attachments: connection.service(FileAttachmentService),
    quotaLevels: connection.service(QuotaLevelService),
    admin: admin.service(FilesAdminService),
    objectAdmin: admin.service(FileObjectAdminService),
    /** The operators' service for a caller without the token. */
    guest: connection.service(FilesAdminService),
    put: async (token: string, bytes: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
      readAnswer(
        await fetch(`${baseUrl}/api/v1/file-uploads/${token}`, {
          method: "PUT",
          headers: { "content-type": "application/octet-stream", ...headers },
          body: bytes,
        }),
      ),
    /** Requests a public URL directly from this service. */
    get: async (url: string, init: RequestInit = {}) =>
      readAnswer(await fetch(`${baseUrl}${new URL(url).pathname}`, { redirect: "error", ...init })),
    close: () => {
      connection.close();
      admin.close();
    },
  };
}

async function readAnswer(response: Response): Promise<BytesAnswer> {
  const body = Buffer.from(await response.arrayBuffer());
  const detail = response.headers.get("x-platform-error");
  if (detail === null) return { status: response.status, code: null, headers: response.headers, body };
  const { code } = decodeErrorDetail(Buffer.from(detail, "base64"));
  return { status: response.status, code, headers: response.headers, body };
}
