import { tmpdir } from "node:os";
import {
  envFields,
  mongoEnv,
  mongoSettings,
  readEnv,
  redisEnv,
  redisSettings,
  tlsEnv,
  tlsFiles,
  transferDrainEnv,
} from "@platform/service-kit/process/read-env";
import { z } from "zod";
import type { S3Settings } from "./store/blobs/s3-blob-store.ts";

const schema = z.object({
  HOST: envFields.host,
  GRPC_PORT: envFields.port(8092),
  HTTP_PORT: envFields.port(8093),
  PROBE_PORT: envFields.port(0),
  ...mongoEnv("files"),
  ...redisEnv,
  SERVICE_KEY: envFields.serviceKey,
  SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
  LOG_LEVEL: envFields.logLevel,
  BLOB_STORE: z.enum(["fs", "s3"]).default("fs"),
  BLOB_DIRECTORY: z.string().default(".local/blobs"),
  S3_BUCKET: z.string().optional(),
  S3_REGION: z.string().default("us-east-1"),
  S3_ENDPOINT: z.url().optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: envFields.boolean(true),
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
  INSPECTORS: z.coerce.number().int().min(1).max(64).default(2),
  ...transferDrainEnv,
  ...tlsEnv,
});

/** Where bytes are kept. */
export type BlobSettings = { readonly kind: "fs"; readonly directory: string } | ({ readonly kind: "s3" } & S3Settings);

const serverSchema = schema.extend({
  OPERATOR_TOKEN: envFields.operatorToken,
  IDENTITY_GRPC: envFields.address.default("127.0.0.1:8090"),
});

/** Settings of files-svc that server and worker share. */
export type FilesConfig = ReturnType<typeof readWorkerConfig>;
export type FilesServerConfig = ReturnType<typeof readConfig>;

/** Reads the environment of the server. Throws one Error that names every bad variable. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const env = readEnv(serverSchema, environment);
  return { ...settingsOf(env), operatorToken: env.OPERATOR_TOKEN, identityAddress: env.IDENTITY_GRPC };
}

/** Reads the environment of the worker and of the migration step, which operators do not call: they need no token of theirs. */
export function readWorkerConfig(environment: NodeJS.ProcessEnv) {
  return settingsOf(readEnv(schema, environment));
}

function settingsOf(env: z.output<typeof schema>) {
  return {
    host: env.HOST,
    grpcPort: env.GRPC_PORT,
    httpPort: env.HTTP_PORT,
    probePort: env.PROBE_PORT,
    mongo: mongoSettings(env),
    redis: redisSettings(env),
    keyring: { current: env.SERVICE_KEY, previous: env.SERVICE_KEY_PREVIOUS },
    publicBaseUrl: env.PUBLIC_BASE_URL,
    logLevel: env.LOG_LEVEL,
    tls: tlsFiles(env),
    blobs: readBlobSettings(env),
    workDirectory: env.WORK_DIRECTORY,
    clamdUrl: env.CLAMD_URL ?? null,
    transferDrainMs: env.TRANSFER_DRAIN_SECONDS * 1000,
    /** Memory of all uploads in flight in a server; further uploads are refused. */
    uploadBytesMax: env.UPLOAD_BYTES_IN_FLIGHT_MAX,
    /** An upload whose process is silent for this long counts as dead. */
    uploadLeaseMs: env.UPLOAD_LEASE_SECONDS * 1000,
    /** Child processes that look into bytes at the same time. */
    inspectors: env.INSPECTORS,
  };
}

function readBlobSettings(env: z.output<typeof schema>): BlobSettings {
  if (env.BLOB_STORE === "fs") return { kind: "fs", directory: env.BLOB_DIRECTORY };
  if (env.S3_BUCKET === undefined) throw new Error("bad configuration\n  S3_BUCKET: required when BLOB_STORE is s3");
  const [accessKeyId, secretAccessKey] = [env.S3_ACCESS_KEY_ID, env.S3_SECRET_ACCESS_KEY];
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new Error("bad configuration\n  S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: set both or none");
  }
  return {
    kind: "s3",
    bucket: env.S3_BUCKET,
    region: env.S3_REGION,
    endpoint: env.S3_ENDPOINT ?? null,
    credentials: accessKeyId === undefined || secretAccessKey === undefined ? null : { accessKeyId, secretAccessKey },
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
    prefix: env.S3_PREFIX,
    workFolder: env.WORK_DIRECTORY,
  };
}
