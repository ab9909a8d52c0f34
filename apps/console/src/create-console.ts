import { once } from "node:events";
import type { RunningProcess, SharedProcess } from "@platform/kit/process/run";
import { newId } from "@platform/kit/process/secrets";
import { createHealth, createLogger, createMetrics, type Logger, serveProbes } from "@platform/kit/process/telemetry";
import { serveHttp } from "@platform/kit/web/http";
import { checkRedis } from "@platform/quota/check-redis";
import { connectRedis, type RedisConnection } from "@platform/quota/connect-redis";
import { connectBackend } from "./calls/backend.ts";
import { createClients } from "./calls/clients.ts";
import { createHealthHistory } from "./calls/health-history.ts";
import { startSampling } from "./calls/sample-health.ts";
import type { ConsoleConfig } from "./config.ts";
import { createCatalogFiles } from "./http/catalog-files.ts";
import { createConsoleCookies } from "./http/cookies.ts";
import { createConsoleApp } from "./http/create-console-app.ts";
import { createNetworkLimit } from "./http/network-limit.ts";
import { observeRequests } from "./http/observe-requests.ts";
import { createPersonLimits } from "./http/person-limits.ts";
import { createRenderCache } from "./http/render-cache.ts";
import { createTails } from "./http/tails.ts";
import { createAlertmanager } from "./monitoring/alertmanager.ts";
import { createPrometheus } from "./monitoring/prometheus.ts";
import { createSessionStore } from "./redis/sessions.ts";
import { createIdentityProviders } from "./sign-in/identity-providers.ts";
import { createPendingSignIns } from "./sign-in/pending-sign-in.ts";

/** A running console. */
export type Console = RunningProcess & { readonly port: number; readonly probePort: number };

/**
 * Overrides of the console's start. `logger` is for tests. `shared` is set if the console runs in one process with
 * services (`startTogether`).
 */
export type ConsoleOverrides = { readonly logger?: Logger; readonly shared?: SharedProcess };

const overviewKeptMs = 3_000;
/** Longest wait for Redis at startup, in milliseconds. Nobody can sign in without Redis. */
const redisConnectMsMax = 2_000;

/** Creates all parts of the console, connects them and starts it. */
export async function createConsole(config: ConsoleConfig, overrides: ConsoleOverrides = {}): Promise<Console> {
  const logger = overrides.logger ?? createLogger("console", config.logLevel, overrides.shared?.logDestination);
  const metrics = createMetrics("console", { processMetrics: overrides.shared?.showsProcess ?? true });
  const health = createHealth();
  const redis = connectRedis(config.redis, (error) =>
    logger.warn({ err: error, component: "redis" }, "the Redis connection failed"),
  );
  const backend = connectBackend(config.grpc, config.tls);
  const history = createHealthHistory(backend.healthKeeper, config.gatewayUrl, (error) =>
    logger.warn({ err: error }, "the health history could not be read"),
  );
  const closing = new AbortController();
  const app = createConsoleApp({
    config,
    logger,
    backend,
    closing: closing.signal,
    clients: createClients(backend),
    sessions: createSessionStore(redis, config.session.idleMs),
    health: history,
    alertmanager: config.alertmanagerUrl === null ? null : createAlertmanager(config.alertmanagerUrl),
    prometheus: config.prometheusUrl === null ? null : createPrometheus(config.prometheusUrl),
    providers: createIdentityProviders({
      clients: config.oidc,
      baseUrl: config.baseUrl,
      access: backend.access,
      context: () => backend.contextOf(newId()),
    }),
    pendingSignIns: createPendingSignIns(config.keyring),
    cookies: createConsoleCookies(config.baseUrl),
    personLimits: createPersonLimits(),
    tails: createTails(),
    catalogFiles: createCatalogFiles(),
    overviews: createRenderCache(overviewKeptMs),
    networkLimit: createNetworkLimit(config.trustedProxies),
  });
  const probes = await serveProbes({
    host: config.host,
    port: config.probePort,
    health,
    registry: metrics.registry,
  });
  const http = await serveHttp(observeRequests(app, metrics.registry), { host: config.host, port: config.httpPort });
  // The check uses a key with this prefix, because the console's Redis user can access no other keys.
  health.addCheck("redis", () => checkRedis(redis, "console:check"));
  health.addCheck("identity-svc", () => backend.ready(500));
  await connectedWithin(redis, redisConnectMsMax);
  const sampling = startSampling(history.sample, logger);
  health.setServing(true);
  logger.info({ port: http.port }, "the console is ready");
  return {
    logger,
    port: http.port,
    probePort: probes.port,
    stopServing: () => {
      health.setServing(false);
      // Ends live tails, whose browsers then connect to another console.
      closing.abort();
      http.drain();
    },
    close: async () => {
      closing.abort();
      await sampling.stop();
      await http.close();
      backend.close();
      redis.disconnect();
      await probes.close();
    },
  };
}

/** Waits for the first connection, so that the process becomes ready only when requests can use the connection. */
async function connectedWithin(redis: RedisConnection, ms: number): Promise<void> {
  if (redis.status === "ready") return;
  await once(redis, "ready", { signal: AbortSignal.timeout(ms) }).catch(() => {});
}
