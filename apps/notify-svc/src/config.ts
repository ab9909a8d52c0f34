import { envFields } from "@platform/kit/process/env";
import { defineServiceConfig, outboundAllowField } from "@platform/kit/service/config";
import { z } from "zod";
import type { ProviderAddresses } from "./providers/senders.ts";

const smtpUrl = z.string().regex(/^smtps?:\/\/[^/]/, "must be smtp://… or smtps://…");
const bouncesProbePort = 8108;
const milliseconds = (fallback: number) => z.coerce.number().int().min(1).max(86_400_000).default(fallback);

export const { readBackupConfig, readMigrationConfig, readServerConfig, readWorkerConfig } = defineServiceConfig({
  database: "notify",
  ports: { grpc: 8094, http: 8095, serverProbes: 8124, workerProbes: 8144 },
  env: {
    PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
    /** Address of files-svc, which stores the attachments of emails. */
    FILES_GRPC: envFields.address.default("127.0.0.1:8092"),
    SMTP_URL: smtpUrl.optional(),
    FCM_BASE_URL: envFields.url.default("https://fcm.googleapis.com"),
    FCM_TOKEN_URL: envFields.url.default("https://oauth2.googleapis.com/token"),
    APNS_BASE_URL: envFields.url.optional(),
    LINE_BASE_URL: envFields.url.default("https://api.line.me"),
    OUTBOUND_ALLOW: outboundAllowField,
    /** Maximum number of concurrent deliveries of one worker, and of one Project Client through one profile. */
    DELIVERY_CONCURRENCY: z.coerce.number().int().min(1).max(10_000).default(4_096),
    DELIVERY_BULKHEAD_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(256),
    DELIVERY_POLL_MS: milliseconds(200),
    DELIVERY_LEASE_MS: milliseconds(30_000),
    DELIVERY_RETRY_BASE_MS: milliseconds(2_000),
    /** How long a bulkhead is paused the first time that its provider fails. */
    DELIVERY_PAUSE_MS: milliseconds(5_000),
    PROVIDER_ANSWER_MS: milliseconds(15_000),
    /** Port on which the process `bounces` accepts email. Outside the pod it is port 25. */
    BOUNCE_SMTP_PORT: envFields.port(2525),
    /** Name in the greeting: the DNS name of the mail exchanger. */
    BOUNCE_SMTP_NAME: z
      .string()
      .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i, "must be a host name")
      .max(253)
      .default("localhost"),
    BOUNCE_SMTP_CONNECTIONS: z.coerce.number().int().min(4).max(10_000).default(100),
  },
  settings: (env) => ({
    publicBaseUrl: env.PUBLIC_BASE_URL,
    filesAddress: env.FILES_GRPC,
    providers: {
      smtpUrl: env.SMTP_URL ?? null,
      fcmBaseUrl: env.FCM_BASE_URL,
      fcmTokenUrl: env.FCM_TOKEN_URL,
      apnsBaseUrl: env.APNS_BASE_URL ?? null,
      lineBaseUrl: env.LINE_BASE_URL,
      outboundAllow: env.OUTBOUND_ALLOW,
      answerMs: env.PROVIDER_ANSWER_MS,
    } satisfies ProviderAddresses,
    delivery: {
      concurrency: env.DELIVERY_CONCURRENCY,
      bulkheadConcurrency: env.DELIVERY_BULKHEAD_CONCURRENCY,
      pollMs: env.DELIVERY_POLL_MS,
      leaseMs: env.DELIVERY_LEASE_MS,
      retryBaseMs: env.DELIVERY_RETRY_BASE_MS,
      pauseMs: env.DELIVERY_PAUSE_MS,
    },
    bounces: {
      port: env.BOUNCE_SMTP_PORT,
      name: env.BOUNCE_SMTP_NAME,
      connectionsMax: env.BOUNCE_SMTP_CONNECTIONS,
    },
  }),
});

/** Reads the configuration of the process that receives bounces. Its probes have a default port of their own. */
export const readBouncesConfig = (env: NodeJS.ProcessEnv): WorkerConfig =>
  readWorkerConfig({ ...env, PROBE_PORT: env.PROBE_PORT ?? `${bouncesProbePort}` });

export type ServerConfig = ReturnType<typeof readServerConfig>;
export type WorkerConfig = ReturnType<typeof readWorkerConfig>;
export type BouncesConfig = WorkerConfig;
