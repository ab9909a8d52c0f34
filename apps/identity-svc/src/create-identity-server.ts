import { connectRedis } from "@platform/quota/connect-redis";
import { createQuota } from "@platform/quota/quota";
import { serveGrpc } from "@platform/service-kit/grpc/serve";
import { serveHttp } from "@platform/service-kit/http/serve-http";
import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { buildIndexes, connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import { traceServed } from "@platform/service-kit/tracing/served-spans";
import type { ServerConfig } from "./config.ts";
import { createCredentialUses } from "./credential-uses.ts";
import { identityServices } from "./grpc/services.ts";
import { createHostedApp } from "./http/create-hosted-app.ts";
import type { IdentityContext } from "./identity-context.ts";
import { createIdentityMetrics } from "./identity-metrics.ts";
import { createPasswords } from "./operations/passwords.ts";
import { createAnnounceChange } from "./redis/announce-changes.ts";
import { createStores } from "./store/create-stores.ts";

export type IdentityServer = RunningProcess & {
  readonly grpcPort: number;
  readonly httpPort: number;
  readonly probePort: number;
};

/** Starts identity-svc's server: gRPC, the hosted pages, and probes. */
export async function createIdentityServer(
  config: ServerConfig,
  overrides: { logger?: Logger; clock?: () => Date } = {},
): Promise<IdentityServer> {
  const logger = overrides.logger ?? createLogger("identity-svc", config.logLevel);
  const metrics = createMetrics("identity-svc");
  const health = createHealth();
  const mongo = await connectMongo(config.mongodb);
  const clock = overrides.clock ?? (await databaseClock(mongo));
  const stores = createStores(mongo);
  const redis = connectRedis(config.redisUrl, (error) => logger.warn({ err: error, component: "redis" }, "redis"));
  const credentialUses = createCredentialUses(stores.credentials.noteUses, logger);
  const context: IdentityContext = {
    ...stores,
    quota: createQuota(redis),
    quotaDefaults: config.quotaDefaults,
    credentialUses,
    passwords: await createPasswords(),
    keyring: config.keyring,
    recentAuthenticationSeconds: config.recentAuthenticationSeconds,
    publicBaseUrl: config.publicBaseUrl,
    metrics: createIdentityMetrics(metrics.registry),
    announceChange: createAnnounceChange(redis, logger),
    clock,
  };
  if (config.mongodb.autoIndex) await buildIndexes(mongo);
  await checkKeyring(mongo, config.keyring, { logger, health });
  health.addCheck("mongodb", () => pingMongo(mongo));

  const grpc = await serveGrpc({
    host: config.host,
    port: config.grpcPort,
    tls: config.tls,
    services: identityServices(context, config.operatorToken),
    logger,
    metrics,
    health,
  });
  const hosted = traceServed(createHostedApp(context, logger));
  const http = await serveHttp(hosted, { host: config.host, port: config.httpPort });
  const probes = await serveProbes({
    host: config.host,
    port: config.probePort,
    health,
    registry: metrics.registry,
  });
  health.setServing(true);
  logger.info({ port: grpc.port }, "identity-svc serves");

  return {
    logger,
    grpcPort: grpc.port,
    httpPort: http.port,
    probePort: probes.port,
    stopServing: () => {
      health.setServing(false);
      http.drain();
    },
    close: async () => {
      health.setServing(false);
      await Promise.all([http.close(), grpc.close()]);
      await credentialUses.close();
      await probes.close();
      redis.disconnect();
      await mongo.close();
    },
  };
}
