import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { operationList } from "@platform/contracts/operations";
import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { serveHttp } from "@platform/service-kit/http/serve-http";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import type { RunningProcess } from "@platform/service-kit/process/run";
import express from "express";
import type { GatewayConfig } from "./config.ts";
import { createGatewayMetrics } from "./gateway-metrics.ts";
import { assertComplete, joinHandlers } from "./handlers.ts";
import { createHealthProbe } from "./health-probe.ts";
import { apiPrefix } from "./http/api-listener.ts";
import { createClientAddress } from "./http/client-address.ts";
import { answerClientError } from "./http/client-error.ts";
import { isClosing, noteAnswer } from "./http/connections.ts";
import { docsPages } from "./http/docs-pages.ts";
import { createLongUploads } from "./http/long-uploads.ts";
import { requestLineFault } from "./http/request-line.ts";
import { createServeBelow } from "./http/serve-below.ts";
import { createLevelOwners } from "./level-owners.ts";
import { createBodyRoom } from "./load/body-room.ts";
import { watchEventLoop } from "./load/event-loop-pressure.ts";
import { createLoadGate } from "./load/load-gate.ts";
import { createSlowdown } from "./load/slowdown.ts";
import { createTrafficRefusals } from "./load/traffic-refusals.ts";
import { forwardStage } from "./pipeline/forward.ts";
import { createPipeline, createProxyPipeline, type PipelineDependencies } from "./pipeline/index.ts";
import { createDoor } from "./pipeline/shed-load.ts";
import { createForward, isLarge } from "./proxies.ts";
import { createAdmission } from "./redis/admission.ts";
import { createCredentialCache, subscribeToIdentityChanges } from "./redis/credential-cache.ts";
import { createRecordWaiter } from "./redis/idempotency-records.ts";
import { watchRedisMemory } from "./redis/redis-memory.ts";
import { createReplayRetention } from "./redis/replay-retention.ts";
import { startRelay } from "./relay/relay-processes.ts";
import { connectUpstreams } from "./upstreams.ts";

/** A running gateway. */
export type Gateway = RunningProcess & { readonly port: number; readonly internalPort: number };

/** What tests may put in the place of the real thing. */
export type GatewayOverrides = { readonly logger?: Logger };

/** Wires the gateway together and starts it. */
export async function createGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Promise<Gateway> {
  const logger = overrides.logger ?? createLogger("gateway", config.logLevel);
  const metrics = createGatewayMetrics();
  const health = createHealth();
  const upstreams = connectUpstreams(config.grpc, config);
  const onRedisError = (error: Error): void =>
    logger.warn({ err: error, component: "redis" }, "redis connection failed");
  const redis = connectRedis(config.redis, onRedisError);
  const subscriber = connectRedis(config.redis, onRedisError);
  const credentials = createCredentialCache({ upstreams, metrics, ttlMs: config.credentialCacheMs });
  await subscribeToIdentityChanges(subscriber, credentials, logger);

  const handlers = joinHandlers(createHealthProbe(redis, upstreams.connections));
  assertComplete(operationList, handlers);
  const pressure = watchEventLoop({ ...config.load, onTick: () => gate.adjust() });
  const slowdown = createSlowdown();
  const gate = createLoadGate({ ...config.load, ...pressure, slowdown: slowdown.judge });
  const trafficRefusals = createTrafficRefusals();
  const door = createDoor({ gate, slowdown, metrics, credentials, trafficRefusals });
  const memory = watchRedisMemory(redis, ({ usedBytes, maxBytes }) => {
    metrics.redisUsedBytes.set(usedBytes);
    metrics.redisMaxBytes.set(maxBytes);
  });
  const dependencies: PipelineDependencies = {
    logger,
    metrics,
    upstreams,
    credentials,
    handlers,
    admission: trafficRefusals.remembering(createAdmission(redis)),
    door,
    bodyRoom: createBodyRoom(config.bodies),
    waiter: createRecordWaiter(redis),
    retention: createReplayRetention({ keptMs: config.replayMs, isMemoryShort: memory.isShort }),
    levelOwners: createLevelOwners(createQuota(redis), {
      storage_bytes: async (_clientId, resource, call) =>
        Number((await upstreams.files.quotaLevels.getQuotaLevel({ resource }, call)).used),
      audit_retention: async (_clientId, resource, call) =>
        Number((await upstreams.events.quotaLevels.getQuotaLevel({ resource }, call)).used),
    }),
    deadlineMs: config.deadlineMs,
  };
  const clientAddress = createClientAddress(config.http.trustedProxies);
  const longUploads = createLongUploads();
  const relay = startRelay({
    ...config.relay,
    settings: {
      pages: config.pages,
      publicBaseUrl: config.http.publicBaseUrl,
      trustedProxies: config.http.trustedProxies,
      logLevel: config.logLevel,
    },
    logger,
    metrics,
  });
  const forward = createForward(config.pages, config.http.publicBaseUrl, longUploads, relay);
  let isDraining = false;
  const { serveOperation, serveBelow } = createServeBelow({
    forward,
    door,
    pipeline: createPipeline(dependencies),
    proxyPipeline: createProxyPipeline(dependencies, forwardStage(forward)),
    clientAddress,
    isDraining: () => isDraining,
    logger,
    metrics,
  });

  const docs = express();
  docs.disable("x-powered-by").disable("etag");
  docs.use(docsPages());
  docs.use((request, response) => serveOperation(request, response, ""));

  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (isClosing(request.socket)) return;
    noteAnswer(response);
    const url = request.url ?? "";
    const query = url.indexOf("?");
    const path = query < 0 ? url : url.slice(0, query);
    const below = path.startsWith(`${apiPrefix}/`) ? path.slice(apiPrefix.length) : null;
    const isDocs = below === null || below === "/openapi.json";
    // What two parsers could read differently goes nowhere, whatever its path: the API listener refuses it.
    if (isDocs && requestLineFault(request) === null) docs(request, response);
    else if (below === null) serveOperation(request, response, "");
    else if (!isLargeUpload(request, below)) serveBelow(request, response, below);
    else {
      void relay.take(request, response).then((isGone) => {
        if (!isGone && !request.destroyed) serveBelow(request, response, below);
      });
    }
  };
  const http = await serveHttp(serve, {
    host: config.http.host,
    port: config.http.port,
    // A missing Host is refused by our own check, with the envelope.
    server: { requireHostHeader: false },
    configure: (server) => {
      server.on("clientError", (error, socket) => {
        if (!longUploads.excuses(error, socket)) answerClientError(error, socket as Socket);
      });
      // An upload's client is told to go on once its token is claimed, by the service; any other at once, as Node would.
      server.on("checkContinue", (request, response) => {
        if (request.method !== "PUT") response.writeContinue();
        serve(request, response);
      });
      server.on("checkExpectation", serve);
    },
  });
  const probes = await serveProbes({
    host: config.http.host,
    port: config.http.internalPort,
    health,
    registry: metrics.registry,
  });
  health.addCheck("redis", async () => (await redis.ping()) === "PONG");
  health.addCheck("identity-svc", () => upstreams.connections.identity.ready(500));
  health.setServing(true);
  logger.info({ port: http.port }, "gateway ready");

  return {
    logger,
    port: http.port,
    internalPort: probes.port,
    stopServing: () => {
      health.setServing(false);
      isDraining = true;
      http.drain();
    },
    close: async () => {
      await Promise.all([http.close(), relay.close()]);
      pressure.stop();
      memory.stop();
      upstreams.close();
      redis.disconnect();
      subscriber.disconnect();
      await probes.close();
    },
  };
}

/** An upload that is to pass through a relay process. What is odd about a request is judged here, as of any other. */
function isLargeUpload(request: IncomingMessage, path: string): boolean {
  const isUpload = request.method === "PUT" && path.startsWith("/file-uploads/");
  return isUpload && isLarge(request) && request.httpVersion === "1.1" && requestLineFault(request) === null;
}
