import { addressesOf, addressVariables } from "@platform/contracts/service-addresses";
import { httpServiceNames, serviceNames, services } from "@platform/contracts/services";
import {
  envFields,
  readEnv,
  redisEnv,
  redisSettings,
  tlsEnv,
  transferDrainEnv,
  trustedProxiesRequired,
} from "@platform/kit/process/env";
import { tlsFiles } from "@platform/kit/process/tls";
import { z } from "zod";

/** The default address of a service is on this machine. */
const localAddress = (port: number) => envFields.address.default(`127.0.0.1:${port}`);

const schema = z.object({
  HOST: envFields.host,
  GATEWAY_PORT: envFields.port(8080),
  GATEWAY_INTERNAL_PORT: envFields.port(8081),
  PUBLIC_BASE_URL: envFields.url.default("http://127.0.0.1:8080"),
  ...redisEnv,
  REDIS_URL: redisEnv.REDIS_URL.default(["redis://127.0.0.1:8101"]),
  /**
   * How long the outcome of an Idempotency-Key is replayed from Redis. Afterwards, the owning service responds from its
   * own record.
   */
  IDEMPOTENCY_REPLAY_SECONDS: z.coerce.number().int().min(60).max(604_800).default(86_400),
  ...addressVariables("GRPC", serviceNames, (name) => localAddress(services[name].grpcPort)),
  ...addressVariables("HTTP", httpServiceNames, (name) => localAddress(services[name].httpPort)),
  /** How calls to services are sent: multiplexed on shared streams, or as plain gRPC calls. */
  GRPC_TRANSPORT: z.enum(["mux", "unary"]).default("mux"),
  /**
   * Proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, separated by commas, or `none` if clients
   * connect directly.
   */
  TRUSTED_PROXIES: envFields.trustedProxies,
  DEPLOYMENT_ENVIRONMENT: envFields.deploymentEnvironment,
  DEADLINE_MS: z.coerce.number().int().min(100).max(60_000).default(5_000),
  CREDENTIAL_CACHE_MS: z.coerce.number().int().min(0).max(5_000).default(5_000),
  /**
   * Maximum number of concurrent calls in this process, for a single caller and for several callers. A higher number
   * makes each event-loop tick longer.
   */
  CONCURRENCY_MAX: z.coerce.number().int().min(1).max(100_000).default(128),
  CONCURRENCY_SHARED: z.coerce.number().int().min(1).max(100_000).default(32),
  /** Maximum number of calls in progress and waiting. Further calls are rejected. */
  IN_FLIGHT_MAX: z.coerce.number().int().min(1).max(100_000).default(2_048),
  /** Maximum number of concurrent pages, uploads and downloads. */
  STREAMS_MAX: z.coerce.number().int().min(1).max(100_000).default(512),
  /**
   * Maximum total size in bytes of the bodies above 64 KiB that are in flight in this process. Each of them needs
   * several times as much memory.
   */
  BODY_BYTES_IN_FLIGHT_MAX: z.coerce.number().int().min(8_388_608).max(1_073_741_824).default(33_554_432),
  /**
   * Seconds without a request after which the public port closes a connection. This must be longer than the keep-alive
   * time of the proxy in front, which would otherwise send requests on a closed connection.
   */
  KEEP_ALIVE_SECONDS: z.coerce.number().int().min(5).max(7_200).default(75),
  /** Maximum number of connections of the public port. */
  CONNECTIONS_MAX: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  /**
   * Share of successful requests that are logged in staging and production. Rejected and failed requests are always
   * logged.
   */
  REQUEST_LOG_SUCCESS_RATIO: z.coerce.number().min(0).max(1).default(0.01),
  LOG_LEVEL: envFields.logLevel,
  ...transferDrainEnv,
  ...tlsEnv,
});

/** The gateway's configuration in typed groups. */
export type GatewayConfig = ReturnType<typeof readConfig>;

/** Reads the environment once. Throws one error that names every invalid variable. */
export function readConfig(source: NodeJS.ProcessEnv) {
  const env = readEnv(schema, source, { TRUSTED_PROXIES: trustedProxiesRequired });
  return {
    http: {
      host: env.HOST,
      port: env.GATEWAY_PORT,
      internalPort: env.GATEWAY_INTERNAL_PORT,
      publicBaseUrl: env.PUBLIC_BASE_URL,
      trustedProxies: env.TRUSTED_PROXIES,
      connectionsMax: env.CONNECTIONS_MAX,
      keepAliveMs: env.KEEP_ALIVE_SECONDS * 1_000,
    },
    redis: redisSettings(env),
    replayMs: env.IDEMPOTENCY_REPLAY_SECONDS * 1_000,
    grpc: addressesOf("GRPC", serviceNames, env),
    isMuxUsed: env.GRPC_TRANSPORT === "mux",
    pages: addressesOf("HTTP", httpServiceNames, env),
    tls: tlsFiles(env),
    transferDrainMs: env.TRANSFER_DRAIN_SECONDS * 1000,
    deadlineMs: env.DEADLINE_MS,
    credentialCacheMs: env.CREDENTIAL_CACHE_MS,
    admission: {
      concurrencyMax: env.CONCURRENCY_MAX,
      concurrencyShared: env.CONCURRENCY_SHARED,
      inFlightMax: env.IN_FLIGHT_MAX,
      streamsMax: env.STREAMS_MAX,
      bodyBytesMax: env.BODY_BYTES_IN_FLIGHT_MAX,
    },
    requestLogSuccessRatio: env.REQUEST_LOG_SUCCESS_RATIO,
    logLevel: env.LOG_LEVEL,
  };
}
