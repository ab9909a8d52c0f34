import { tmpdir } from "node:os";
import { envFields, s3Access, s3Env, transferDrainEnv } from "@platform/kit/process/env";
import { defineServiceConfig } from "@platform/kit/service/config";
import { z } from "zod";
import type { S3Settings } from "./store/blobs/s3-blob-store.ts";

const env = {
  PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
  BLOB_STORE: z.enum(["fs", "s3"]).default("fs"),
  BLOB_DIRECTORY: z.string().default(".local/blobs"),
  S3_BUCKET: z.string().optional(),
  ...s3Env,
  S3_PREFIX: z
    .string()
    .regex(/^(.*\/)?$/, "must end with a slash")
    .default(""),
  WORK_DIRECTORY: z.string().default(tmpdir()),
  CLAMD_URL: z
    .string()
    .regex(/^(tcp:\/\/[^\s/:]+:\d+|unix:\/\S+)$/, "must be tcp://host:port or unix:/path")
    .optional(),
  UPLOAD_BYTES_IN_FLIGHT_MAX: z.coerce.number().int().min(16_777_216).max(17_179_869_184).default(268_435_456),
  UPLOAD_LEASE_SECONDS: z.coerce.number().int().min(1).max(3600).default(60),
  ORPHAN_GRACE_DAYS: z.coerce.number().int().min(1).max(365).default(7),
  INSPECTORS: z.coerce.number().int().min(1).max(64).default(2),
  ...transferDrainEnv,
};

/** The store in which the bytes of files are kept. */
export type BlobSettings = { readonly kind: "fs"; readonly directory: string } | ({ readonly kind: "s3" } & S3Settings);

export const { readBackupConfig, readMigrationConfig, readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "files",
  ports: { grpc: 8092, http: 8093, serverProbes: 8122, workerProbes: 8142 },
  env,
  settings: (read) => ({
    publicBaseUrl: read.PUBLIC_BASE_URL,
    blobs: readBlobSettings(read),
    workDirectory: read.WORK_DIRECTORY,
    clamdUrl: read.CLAMD_URL ?? null,
    transferDrainMs: read.TRANSFER_DRAIN_SECONDS * 1000,
    /** Maximum memory of all uploads in flight in a server; further uploads are rejected. */
    uploadBytesMax: read.UPLOAD_BYTES_IN_FLIGHT_MAX,
    /** Time after which an upload is considered dead if its process has not renewed it. */
    uploadLeaseMs: read.UPLOAD_LEASE_SECONDS * 1000,
    /** How long bytes without a record are kept before they are removed. */
    orphanGraceMs: read.ORPHAN_GRACE_DAYS * 86_400_000,
    /** Number of child processes that inspect bytes concurrently. */
    inspectors: read.INSPECTORS,
  }),
});

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;

function readBlobSettings(read: z.output<z.ZodObject<typeof env>>): BlobSettings {
  if (read.BLOB_STORE === "fs") return { kind: "fs", directory: read.BLOB_DIRECTORY };
  if (read.S3_BUCKET === undefined) throw new Error("bad configuration\n  S3_BUCKET: required when BLOB_STORE is s3");
  return {
    kind: "s3",
    bucket: read.S3_BUCKET,
    ...s3Access(read),
    prefix: read.S3_PREFIX,
    workFolder: read.WORK_DIRECTORY,
  };
}
