import type { RequestListener, ServerOptions } from "node:http";
import { checkRedis } from "@platform/quota/check-redis";
import { connectRedis, type RedisConnection } from "@platform/quota/connect-redis";
import { channelFollower, type FollowChannel } from "@platform/quota/follow-channel";
import { type CreateSweep, sweepFactory } from "../jobs/sweep.ts";
import { defined } from "../process/defined.ts";
import { createHealth, type Health, type ProbeServer, serveProbes } from "../process/health.ts";
import { createLogger, type Logger } from "../process/logger.ts";
import { createMetrics, type Metrics } from "../process/metrics.ts";
import type { SharedProcess } from "../process/part.ts";
import { closeMsMaxOf, type RunningProcess } from "../process/run.ts";
import type { Keyring } from "../process/sealed.ts";
import { showCertificateExpiry } from "../rpc/certificate-metrics.ts";
import { assertPlaintextIsLocal } from "../rpc/credentials.ts";
import { type GrpcServer, serveGrpc } from "../rpc/serve.ts";
import type { ServedService } from "../rpc/served-service.ts";
import { checkKeyring } from "../store/check-keyring.ts";
import { connectMongo, type MongoConnection, mongoCheck } from "../store/connect.ts";
import { databaseClock } from "../store/database-clock.ts";
import { createPutOffStore } from "../store/put-off-work.ts";
import { awaitSchema, buildIndexes } from "../store/schema.ts";
import { recognizeStoreFailure } from "../store/store-failure.ts";
import type { HttpTls } from "../web/mutual-tls.ts";
import { type HttpServer, serveHttp } from "../web/serve-http.ts";
import { traceServed } from "../web/served-spans.ts";
import type { ServerConfig, ServiceConfig } from "./service-config.ts";

/**
 * Overrides of a service's start. `logger` and `clock` are for tests. `shared` is set if the service runs in one
 * process with others (`startTogether`).
 */
export type ServiceOverrides = {
  readonly logger?: Logger;
  readonly clock?: () => Date;
  readonly shared?: SharedProcess;
};

/** What a service's own wiring receives. Everything opened through it is closed with the process. */
export type ServiceKit<S> = {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly stores: S;
  /** Returns the database's time. */
  readonly clock: () => Date;
  /** Creates a sweep in which a failing item does not stop the others. */
  readonly createSweep: CreateSweep;
  /** A signal that aborts when the process starts to close, which ends streams that would otherwise never end. */
  readonly closing: AbortSignal;
  /** Opens a connection, whose check becomes part of the process's health. */
  connectRedis(): RedisConnection;
  /** Subscribes to a Redis channel over a separate connection. */
  readonly followChannel: FollowChannel;
  /** Registers a running job, which is stopped before the servers are. */
  job<J extends { stop(): Promise<void> }>(job: J): J;
  /**
   * Registers a function that is called after jobs and servers were closed and before the database is. The last
   * registered one is called first.
   */
  onClose(close: () => Promise<void> | void): void;
};

/** What a process serves; a worker serves nothing. */
export type Served = {
  readonly grpc?: readonly ServedService[];
  /** Admits operators and records their actions; required if a gRPC service is for operators. */
  readonly operators?: { protect(service: ServedService): ServedService };
  readonly http?: {
    readonly listener: RequestListener;
    readonly server?: ServerOptions;
    /** True if the listener itself decides when a client that waits for `100 Continue` may send its body. */
    readonly answersContinue?: boolean;
    /** How long requests may continue when the process stops. By default they have as long as its other parts. */
    readonly drainMs?: number;
  };
};

export type ServiceOptions<S> = {
  /** Name in logs and metrics: `events-svc`, `events-svc-worker`. */
  readonly name: string;
  readonly config: ServiceConfig & Partial<ServerConfig>;
  readonly overrides: ServiceOverrides;
  /** Opens the stores on the service's database. All stores must be opened here, so that the indexes are complete. */
  readonly openStores: (connection: MongoConnection, keyring: Keyring) => S;
  /** Creates the service's own parts: starts its jobs and returns what it serves. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a worker's wiring returns nothing
  readonly wire: (kit: ServiceKit<S>) => Promise<Served | void> | Served | void;
};

/** A started process of a service. A port is 0 if it is not served. */
export type RunningService = RunningProcess & {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly probePort: number;
};

/** Must be shorter than the 25 s after which a process is forced to exit. */
const closeMsMax = 22_000;
const grpcCloseMsMax = 10_000;

/**
 * Starts a process of a service: probes, database with indexes, keyring and clock, the service's own parts, then gRPC
 * and HTTP. After that, the process is ready. It stops in this order: readiness, jobs, gRPC, HTTP, the service's own
 * parts, database, probes. If the start fails, everything that was opened is closed.
 */
export async function startService<S>(options: ServiceOptions<S>): Promise<RunningService> {
  const { name, config, overrides } = options;
  const { host, tls } = config;
  const logger = overrides.logger ?? createLogger(name, config.logLevel, overrides.shared?.logDestination);
  const metrics = createMetrics(name, { processMetrics: overrides.shared?.showsProcess ?? true });
  const health = createHealth();
  const closing = new AbortController();
  const jobs: { stop(): Promise<void> }[] = [];
  const resources = new AsyncDisposableStack();
  let probes: ProbeServer | undefined;
  let grpc: GrpcServer | undefined;
  let http: HttpServer | undefined;
  let drainMs: number | undefined;

  const close = async (): Promise<void> => {
    const untilMs = performance.now() + closeMsMax;
    const leftMs = (): number => Math.max(1_000, untilMs - performance.now());
    health.setServing(false);
    closing.abort();
    const steps: readonly (() => Promise<unknown> | undefined)[] = [
      () => Promise.all(jobs.map((job) => job.stop())),
      () => grpc?.close(Math.min(grpcCloseMsMax, leftMs())),
      () => http?.close(drainMs ?? leftMs()),
      () => resources.disposeAsync(),
      () => probes?.close(),
    ];
    const errors: unknown[] = [];
    for (const step of steps) await Promise.try(step).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, `${name} did not stop cleanly`);
  };

  /** Only the gateway may connect to the HTTP port, which serves pages and bytes. */
  const httpTls = (): HttpTls | undefined => {
    if (tls === null || tls === "plaintext") return undefined;
    return { files: tls, callers: ["gateway"], isPlaintextServed: config.isHttpPlaintextServed ?? false, logger };
  };

  const connectToRedis = (): RedisConnection => {
    const redis = connectRedis(config.redis, logRedisError);
    resources.defer(() => redis.disconnect());
    health.addCheck("redis", () => checkRedis(redis));
    return redis;
  };
  const logRedisError = (error: Error): void =>
    logger.warn({ err: error, component: "redis" }, "the Redis connection failed");

  const followChannel: FollowChannel = (channel, handlers) => {
    const feed = channelFollower(config.redis, logRedisError)(channel, handlers);
    resources.defer(() => feed.close());
    return feed;
  };

  try {
    showCertificateExpiry(metrics.registry, tls);
    probes = await serveProbes({ host, port: config.probePort, health, registry: metrics.registry });
    const mongo = await connectMongo(config.mongo);
    resources.defer(() => mongo.close());
    const clock = overrides.clock ?? (await databaseClock(mongo));
    const stores = options.openStores(mongo, config.keyring);
    const putOffs = createPutOffStore(mongo);
    if (config.mongo.autoIndex) await buildIndexes(mongo);
    else await awaitSchema(mongo, logger);
    await checkKeyring(mongo, config.keyring, { logger, health });
    health.addCheck("mongodb", mongoCheck(mongo));
    const createSweep = sweepFactory({ store: putOffs, clock, logger, registry: metrics.registry });
    const served = await options.wire({
      logger,
      metrics,
      health,
      stores,
      clock,
      createSweep,
      closing: closing.signal,
      connectRedis: connectToRedis,
      followChannel,
      job: (job) => {
        jobs.push(job);
        return job;
      },
      onClose: (work) => resources.defer(work),
    });
    if (served?.grpc !== undefined) {
      const { grpc: services, operators } = served;
      grpc = await serveGrpc({
        host,
        port: config.grpcPort ?? 0,
        tls,
        services,
        ...defined({ operators }),
        recognizeFailure: recognizeStoreFailure,
        logger,
        metrics,
        health,
      });
    }
    if (served?.http !== undefined) {
      const { server = {}, answersContinue = false } = served.http;
      drainMs = served.http.drainMs;
      const listener = traceServed(served.http.listener);
      const configure = (to: HttpServer["server"]) => void (answersContinue && to.on("checkContinue", listener));
      assertPlaintextIsLocal(tls, "listening on", [host]);
      http = await serveHttp(listener, { host, port: config.httpPort ?? 0, server, configure, tls: httpTls() });
    }
  } catch (error) {
    await close().catch((later: unknown) =>
      logger.error({ err: later }, "the resources of a failed start could not be released"),
    );
    throw error;
  }
  health.setServing(true);
  const port = grpc?.port ?? probes.port;
  logger.info({ port }, "serving");
  return {
    logger,
    ...(drainMs === undefined ? {} : { closeMsMax: closeMsMaxOf(drainMs) }),
    grpcPort: grpc?.port ?? 0,
    httpPort: http?.port ?? 0,
    probePort: probes.port,
    stopServing: () => {
      health.setServing(false);
      http?.drain();
    },
    close,
  };
}
