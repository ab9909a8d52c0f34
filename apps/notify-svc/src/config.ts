import type { TlsFiles } from "@platform/service-kit/grpc/credentials";
import { parseOutboundAllow } from "@platform/service-kit/outbound/outbound-policy";
import { envFields, mongoEnv, mongoSettings, readEnv, tlsEnv, tlsFiles } from "@platform/service-kit/process/read-env";
import { z } from "zod";
import type { ProviderAddresses } from "./providers/senders.ts";

const smtpUrl = z.string().regex(/^smtps?:\/\/[^/]/, "must be smtp://… or smtps://…");
const milliseconds = (fallback: number) => z.coerce.number().int().min(1).max(86_400_000).default(fallback);

const schema = z.object({
  HOST: envFields.host,
  GRPC_PORT: envFields.port(8094),
  HTTP_PORT: envFields.port(8095),
  PROBE_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  ...mongoEnv("notify"),
  SERVICE_KEY: envFields.serviceKey,
  SERVICE_KEY_PREVIOUS: envFields.serviceKeyPrevious,
  PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
  SMTP_URL: smtpUrl.optional(),
  FCM_BASE_URL: envFields.url.default("https://fcm.googleapis.com"),
  FCM_TOKEN_URL: envFields.url.default("https://oauth2.googleapis.com/token"),
  APNS_BASE_URL: envFields.url.optional(),
  LINE_BASE_URL: envFields.url.default("https://api.line.me"),
  OUTBOUND_ALLOW: z.string().default("").transform(parseOutboundAllow),
  /** Deliveries of one worker at once, and of one Project Client through one profile. */
  DELIVERY_CONCURRENCY: z.coerce.number().int().min(1).max(10_000).default(4_096),
  DELIVERY_LANE_CONCURRENCY: z.coerce.number().int().min(1).max(1_000).default(256),
  DELIVERY_POLL_MS: milliseconds(200),
  DELIVERY_LEASE_MS: milliseconds(30_000),
  DELIVERY_RETRY_BASE_MS: milliseconds(2_000),
  /** How long a lane pauses at first when its provider is unwell. */
  DELIVERY_PAUSE_MS: milliseconds(5_000),
  PROVIDER_ANSWER_MS: milliseconds(15_000),
  LOG_LEVEL: envFields.logLevel,
  ...tlsEnv,
});

const serverSchema = schema.extend({ OPERATOR_TOKEN: envFields.operatorToken });

/** Settings of notify-svc that server and worker share. */
export type NotifyConfig = {
  readonly host: string;
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly serverProbePort: number;
  readonly workerProbePort: number;
  readonly mongo: { readonly uri: string; readonly database: string; readonly autoIndex: boolean };
  readonly keyring: { readonly current: Uint8Array; readonly previous: readonly Uint8Array[] };
  readonly publicBaseUrl: string;
  readonly providers: ProviderAddresses;
  readonly delivery: {
    readonly concurrency: number;
    readonly laneConcurrency: number;
    readonly pollMs: number;
    readonly leaseMs: number;
    readonly retryBaseMs: number;
    readonly pauseMs: number;
  };
  readonly tls: TlsFiles | null;
  readonly logLevel: string;
};

export type NotifyServerConfig = NotifyConfig & { readonly operatorToken: string };

/** Reads the environment of the server. Throws an Error that names every bad variable. */
export function readConfig(env: NodeJS.ProcessEnv): NotifyServerConfig {
  const read = readEnv(serverSchema, env);
  return { ...settingsOf(read), operatorToken: read.OPERATOR_TOKEN };
}

/** The same for the worker and the migration step, which operators do not call: they need no token of theirs. */
export function readWorkerConfig(env: NodeJS.ProcessEnv): NotifyConfig {
  return settingsOf(readEnv(schema, env));
}

function settingsOf(read: z.output<typeof schema>): NotifyConfig {
  return {
    host: read.HOST,
    grpcPort: read.GRPC_PORT,
    httpPort: read.HTTP_PORT,
    serverProbePort: read.PROBE_PORT ?? 8124,
    workerProbePort: read.PROBE_PORT ?? 8144,
    mongo: mongoSettings(read),
    keyring: { current: read.SERVICE_KEY, previous: read.SERVICE_KEY_PREVIOUS },
    publicBaseUrl: read.PUBLIC_BASE_URL,
    providers: {
      smtpUrl: read.SMTP_URL ?? null,
      fcmBaseUrl: read.FCM_BASE_URL,
      fcmTokenUrl: read.FCM_TOKEN_URL,
      apnsBaseUrl: read.APNS_BASE_URL ?? null,
      lineBaseUrl: read.LINE_BASE_URL,
      outboundAllow: read.OUTBOUND_ALLOW,
      answerMs: read.PROVIDER_ANSWER_MS,
    },
    delivery: {
      concurrency: read.DELIVERY_CONCURRENCY,
      laneConcurrency: read.DELIVERY_LANE_CONCURRENCY,
      pollMs: read.DELIVERY_POLL_MS,
      leaseMs: read.DELIVERY_LEASE_MS,
      retryBaseMs: read.DELIVERY_RETRY_BASE_MS,
      pauseMs: read.DELIVERY_PAUSE_MS,
    },
    tls: tlsFiles(read),
    logLevel: read.LOG_LEVEL,
  };
}
