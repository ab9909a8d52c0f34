import { channelFollower } from "@platform/quota/follow-channel";
import { watchDisabledClients } from "@platform/service-kit/clients/disabled-clients";
import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { buildIndexes, connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { NotifyConfig } from "./config.ts";
import { createDerivedTokens } from "./derived-tokens.ts";
import { channelOfLane, retryRule } from "./domain/delivery.ts";
import { laneLimits } from "./domain/lanes.ts";
import { connectionsMax } from "./providers/sender.ts";
import { createSenders } from "./providers/senders.ts";
import { createStores } from "./store/stores.ts";
import { startDeliveries } from "./worker/deliver-notifications.ts";
import { createDeliveryMetrics } from "./worker/delivery-metrics.ts";
import { followProfiles } from "./worker/follow-profiles.ts";
import { startVerificationPushes } from "./worker/queue-verification-pushes.ts";
import { startResealing } from "./worker/reseal-profiles.ts";
import { startProfileTests } from "./worker/send-profile-tests.ts";
import { startLeaseSweep } from "./worker/sweep-leases.ts";

export type NotifyWorker = RunningProcess & { readonly probePort: number };

/** Wires and starts the worker: deliveries, verification pushes, and the sweep of lost leases. */
export async function createNotifyWorker(
  config: NotifyConfig,
  overrides: { logger?: Logger; clock?: () => Date } = {},
): Promise<NotifyWorker> {
  const logger = overrides.logger ?? createLogger("notify-worker", config.logLevel);
  const metrics = createMetrics("notify-worker");
  const health = createHealth();
  const connection = await connectMongo(config.mongo);
  const stores = createStores(connection, config.keyring);
  if (config.mongo.autoIndex) await buildIndexes(connection);
  const senders = createSenders(config.providers);
  const { delivery } = config;
  const disabledClients = await watchDisabledClients({
    identity: { address: config.identityAddress, tls: config.tls },
    follow: channelFollower(config.redis, (error) =>
      logger.warn({ err: error, component: "redis" }, "redis subscription failed"),
    ),
    logger,
  });
  const clock = overrides.clock ?? (await databaseClock(connection));
  const profiles = await followProfiles({ stores, senders, clock, logger }, 500);
  const deps = {
    stores,
    senders,
    disabledClients,
    profiles,
    logger,
    clock,
    tokens: createDerivedTokens(config.keyring),
    metrics: createDeliveryMetrics(metrics.registry),
    retryRule: { ...retryRule, baseMs: delivery.retryBaseMs },
    publicBaseUrl: config.publicBaseUrl,
    answerMs: config.providers.answerMs,
  };
  await checkKeyring(connection, config.keyring, { logger, health });
  health.addCheck("mongodb", () => pingMongo(connection));
  const probes = await serveProbes({
    host: config.host,
    port: config.workerProbePort,
    health,
    registry: metrics.registry,
  });
  const deliveries = startDeliveries(deps, {
    pollMs: delivery.pollMs,
    leaseMs: delivery.leaseMs,
    limits: {
      ...laneLimits,
      total: delivery.concurrency,
      perLane: delivery.laneConcurrency,
      connectionsOf: (lane) => connectionsMax[channelOfLane(lane)],
      pauseMs: delivery.pauseMs,
    },
  });
  const jobs = [
    startLeaseSweep(deps, Math.min(5_000, delivery.leaseMs / 2)),
    startVerificationPushes(deps, 1_000),
    startResealing(deps, 60_000),
    startProfileTests(deps, 500),
    profiles,
  ];
  health.setServing(true);
  return {
    logger,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      await Promise.all([...jobs.map((job) => job.stop()), deliveries.stop(12_000)]);
      await disabledClients.close();
      await senders.close();
      await probes.close();
      await connection.close();
    },
  };
}
