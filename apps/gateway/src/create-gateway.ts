import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { routedOperations } from "@platform/contracts/operations";
import { closeMsMaxOf, type RunningProcess, type SharedProcess } from "@platform/kit/process/run";
import { createHealth, createLogger, type Logger, serveProbes } from "@platform/kit/process/telemetry";
import { showCertificateExpiry } from "@platform/kit/rpc/client";
import { createClientAddress, sourceNetwork } from "@platform/kit/web/http";
import { checkRedis } from "@platform/quota/check-redis";
import { connectRedis, type RedisConnection } from "@platform/quota/connect-redis";
import { channelFollower } from "@platform/quota/follow-channel";
import { createQuota } from "@platform/quota/quota";
import { createAdmissionControl } from "./admission-control/admission-control.ts";
import type { GatewayConfig } from "./config.ts";
import { createCredentialCache, followIdentityChanges } from "./credential-cache.ts";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import { createGaugeOwners } from "./gauge-owners.ts";
import { assertComplete, joinHandlers } from "./handlers.ts";
import { createHealthProbe } from "./health-probe.ts";
import { docsPages } from "./http/docs-pages.ts";
import { createRouter } from "./http/router.ts";
import { createLongUploads, servePublic } from "./http/serve-public.ts";
import { createForward } from "./pipeline/forward.ts";
import { createPipeline } from "./pipeline/index.ts";
import { createReplayRetention } from "./pipeline/replay-retention.ts";
import { createValidationThread } from "./pipeline/validation-thread.ts";
import { createMetering } from "./redis/metering.ts";
import { createRecordWaiter } from "./redis/record-waiter.ts";
import { watchRedisMemory } from "./redis/redis-memory.ts";
import { createSettlements } from "./redis/settlements.ts";
import { reportRequests } from "./request-log-report.ts";
import { connectUpstreams } from "./upstreams.ts";
import { reportCredentialUsage, reportUsage } from "./usage-report.ts";

/** Longest wait for Redis at startup, in milliseconds. The gateway serves /health and the pages even without Redis. */
const redisConnectMsMax = 2_000;

/** A running gateway. */
export type Gateway = RunningProcess & { readonly port: number; readonly internalPort: number };

/**
 * Overrides of the gateway's start. `logger` is for tests. `shared` is set if the gateway runs in one process with
 * services (`startTogether`).
 */
export type GatewayOverrides = { readonly logger?: Logger; readonly shared?: SharedProcess };

/** Creates all parts of the gateway, connects them and starts it. */
export async function createGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const logger = overrides.logger ?? createLogger("gateway", config.logLevel, overrides.shared?.logDestination);
  const metrics = createGatewayMetrics({ processMetrics: overrides.shared?.showsProcess ?? true });
  const health = createHealth();
  showCertificateExpiry(metrics.registry, config.tls);
  const upstreams = connectUpstreams(config.grpc, config);
  const onRedisError = (error: Error): void =>
    logger.warn({ err: error, component: "redis" }, "the Redis connection failed");
  const redis = connectRedis(config.redis, onRedisError);
  const credentials = createCredentialCache({ upstreams, metrics, ttlMs: config.credentialCacheMs });
  const changes = followIdentityChanges(channelFollower(config.redis, onRedisError), credentials);
  await connectedWithin(redis, redisConnectMsMax);

  const usage = reportUsage(upstreams, { logger, metrics });
  const credentialUsage = reportCredentialUsage(upstreams, { logger, metrics });
  const requestLog = reportRequests(upstreams, { successRatio: config.requestLogSuccessRatio, metrics, logger });
  const handlers = joinHandlers(createHealthProbe(redis, upstreams.connections));
  assertComplete(routedOperations, handlers);
  const memory = watchRedisMemory(redis, ({ usedBytes, maxBytes }) => {
    metrics.redisUsedBytes.set(usedBytes);
    metrics.redisMaxBytes.set(maxBytes);
  });
  const clientAddress = createClientAddress(config.http.trustedProxies, (peer) =>
    logger.warn(
      { peer },
      "a peer that is not a trusted proxy sends X-Forwarded-For; if it is your proxy, add it to TRUSTED_PROXIES",
    ),
  );
  const admissionControl = createAdmissionControl(config.admission);
  const metering = createMetering(redis);
  const settlements = createSettlements(metering, logger);
  const longUploads = createLongUploads();
  const validationThread = createValidationThread();
  const router = createRouter({
    pipeline: createPipeline({
      logger,
      metrics,
      upstreams,
      credentials,
      handlers,
      admissionControl,
      validationThread,
      metering,
      settlements,
      usage,
      credentialUsage,
      requestLog,
      waiter: createRecordWaiter(redis),
      retention: createReplayRetention({
        keptMs: config.replayMs,
        isMemoryShort: memory.isShort,
        isMemoryHalfFull: memory.isHalfFull,
      }),
      isMemoryShort: memory.isShort,
      gaugeOwners: createGaugeOwners(createQuota(redis), {
        storage_bytes: async (_clientId, resource, call) =>
          Number((await upstreams.files.quotaLevels.getQuotaLevel({ resource }, call)).used),
        audit_retention: async (_clientId, resource, call) =>
          Number((await upstreams.events.quotaLevels.getQuotaLevel({ resource }, call)).used),
      }),
      forward: createForward(config.pages, {
        tls: config.tls,
        publicBaseUrl: config.http.publicBaseUrl,
        beginUpload: longUploads.begin,
        isStopping: () => !health.isServing(),
        logger,
      }),
      deadlineMs: config.deadlineMs,
    }),
    docs: docsPages({
      limiter: admissionControl.requests.stream,
      callerOf: (request) => sourceNetwork(clientAddress(request).address),
    }),
    clientAddress,
    logger,
    metrics,
  });
  const http = await servePublic({
    ...config.http,
    router,
    networkOf: (socket) => {
      const { address, isShared } = clientAddress({ headers: {}, socket });
      return isShared ? null : sourceNetwork(address);
    },
    longUploads,
  });
  const probes = await serveProbes({
    host: config.http.host,
    port: config.http.internalPort,
    health,
    registry: metrics.registry,
  });
  health.addCheck("redis", () => checkRedis(redis));
  health.addCheck("identity-svc", () => upstreams.connections.identity.ready(500));
  health.setServing(true);
  logger.info({ port: http.port }, "the gateway is ready");

  return {
    logger,
    closeMsMax: closeMsMaxOf(config.transferDrainMs),
    port: http.port,
    internalPort: probes.port,
    stopServing: () => {
      health.setServing(false);
      http.drain();
    },
    close: async () => {
      await http.close(config.transferDrainMs);
      memory.stop();
      const reports = [usage.close(), credentialUsage.close(), requestLog.close()];
      await Promise.all([...reports, settlements.close(), validationThread.close()]);
      upstreams.close();
      redis.disconnect();
      changes.close();
      await probes.close();
    },
  };
}

/** Waits for the first connection, so that the process becomes ready only when requests can use the connection. */
async function connectedWithin(redis: RedisConnection, ms: number): Promise<void> {
  if (redis.status === "ready") return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(redis, "ready", { signal }), delay(ms, null, { signal })]).catch(() => {});
  waiting.abort();
}
