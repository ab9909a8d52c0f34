import { envFields, readEnv, redisEnv, redisSettings, tlsEnv, tlsFiles } from "@platform/service-kit/process/read-env";
import { z } from "zod";

const schema = z.object({
  HOST: envFields.host,
  GATEWAY_PORT: envFields.port(8080),
  GATEWAY_INTERNAL_PORT: envFields.port(8081),
  PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
  ...redisEnv,
  REDIS_URL: redisEnv.REDIS_URL.default(["redis://127.0.0.1:8101"]),
  /** How long the outcome of an Idempotency-Key is replayed from Redis; after that the owning service's own record answers. */
  IDEMPOTENCY_REPLAY_SECONDS: z.coerce.number().int().min(60).max(604_800).default(86_400),
  IDENTITY_GRPC: envFields.address.default("127.0.0.1:8090"),
  IDENTITY_HTTP: envFields.address.default("127.0.0.1:8091"),
  FILES_GRPC: envFields.address.default("127.0.0.1:8092"),
  FILES_HTTP: envFields.address.default("127.0.0.1:8093"),
  NOTIFY_GRPC: envFields.address.default("127.0.0.1:8094"),
  NOTIFY_HTTP: envFields.address.default("127.0.0.1:8095"),
  EVENTS_GRPC: envFields.address.default("127.0.0.1:8096"),
  ADS_GRPC: envFields.address.default("127.0.0.1:8098"),
  /** How calls travel to the services: on streams that carry many, or each as a gRPC call of its own. */
  GRPC_TRANSPORT: z.enum(["mux", "unary"]).default("mux"),
  /** Proxies whose X-Forwarded-For is believed: addresses or CIDR ranges, comma-separated. */
  TRUSTED_PROXIES: z
    .string()
    .default("")
    .transform((text) => text.split(",").filter((part) => part !== "")),
  DEADLINE_MS: z.coerce.number().int().min(100).max(60_000).default(5_000),
  CREDENTIAL_CACHE_MS: z.coerce.number().int().min(0).max(5_000).default(5_000),
  /** Requests in flight in this process from which on each caller is held to its share. */
  IN_FLIGHT_MAX: z.coerce.number().int().min(1).max(100_000).default(2_048),
  /** The same while the event loop is late; with more than these for a second, what gets done in a fifth of one bounds what is in flight. */
  IN_FLIGHT_PRESSED: z.coerce.number().int().min(1).max(100_000).default(256),
  /** Lateness of the event loop that is tolerated, and how long it may last, in milliseconds. */
  SHED_DELAY_MS: z.coerce.number().int().min(10).max(10_000).default(250),
  SHED_AFTER_MS: z.coerce.number().int().min(0).max(60_000).default(1_000),
  /** Bytes of the bodies beyond 64 KiB of all requests in flight in this process; each costs several times as much memory. */
  BODY_BYTES_IN_FLIGHT_MAX: z.coerce.number().int().min(8_388_608).max(1_073_741_824).default(33_554_432),
  /** Processes of the gateway that large bodies pass through; 0 leaves them to the one that answers the API. */
  RELAY_PROCESSES: z.coerce.number().int().min(0).max(16).default(1),
  LOG_LEVEL: envFields.logLevel,
  ...tlsEnv,
});

/** How long a large body waits for room before its request is refused: a burst is worked off meanwhile, and callers wait for 5 s and more. */
const bodyWaitMs = 1_000;

/** What a relay process gets of the environment: nothing secret, and no setting of the platform's. */
const relayEnvNames = /^(PATH|TZ|LANG|NODE_.*|OTEL_.*)$/;

function relayEnv(source: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(source).filter(
    (entry): entry is [string, string] => relayEnvNames.test(entry[0]) && entry[1] !== undefined,
  );
  return Object.fromEntries(kept);
}

/** The gateway's configuration in typed groups. */
export type GatewayConfig = ReturnType<typeof readConfig>;

/** Reads the environment once. Throws one error that names every bad variable. */
export function readConfig(source: NodeJS.ProcessEnv) {
  const env = readEnv(schema, source);
  return {
    http: {
      host: env.HOST,
      port: env.GATEWAY_PORT,
      internalPort: env.GATEWAY_INTERNAL_PORT,
      publicBaseUrl: env.PUBLIC_BASE_URL,
      trustedProxies: env.TRUSTED_PROXIES,
    },
    redis: redisSettings(env),
    replayMs: env.IDEMPOTENCY_REPLAY_SECONDS * 1_000,
    grpc: {
      identity: env.IDENTITY_GRPC,
      files: env.FILES_GRPC,
      notify: env.NOTIFY_GRPC,
      events: env.EVENTS_GRPC,
      ads: env.ADS_GRPC,
    },
    isMuxUsed: env.GRPC_TRANSPORT === "mux",
    pages: { identity: env.IDENTITY_HTTP, files: env.FILES_HTTP, notify: env.NOTIFY_HTTP },
    tls: tlsFiles(env),
    deadlineMs: env.DEADLINE_MS,
    credentialCacheMs: env.CREDENTIAL_CACHE_MS,
    load: {
      inFlightMax: env.IN_FLIGHT_MAX,
      inFlightPressed: env.IN_FLIGHT_PRESSED,
      delayMs: env.SHED_DELAY_MS,
      afterMs: env.SHED_AFTER_MS,
    },
    bodies: { bytesMax: env.BODY_BYTES_IN_FLIGHT_MAX, waitMs: bodyWaitMs },
    relay: { count: env.RELAY_PROCESSES, env: relayEnv(source) },
    logLevel: env.LOG_LEVEL,
  };
}
