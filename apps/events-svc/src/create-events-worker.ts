import { connectRedis } from "@platform/quota/connect-redis";
import { channelFollower } from "@platform/quota/follow-channel";
import { createQuota } from "@platform/quota/quota";
import { watchDisabledClients } from "@platform/service-kit/clients/disabled-clients";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { buildIndexes, connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { EventsConfig } from "./config.ts";
import { subscribeToPublished } from "./redis/published-events.ts";
import { eventsModels } from "./store/models.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";
import { startAuditHeadExport } from "./worker/export-audit-heads.ts";
import { startEventNumbering } from "./worker/number-events.ts";
import { startEventRelay } from "./worker/relay/relay-events.ts";
import { createClientLimits } from "./worker/schedules/client-limits.ts";
import { startSchedules } from "./worker/schedules/start-schedules.ts";

/** What tests may put in the place of the real thing. */
export type EventsWorkerOverrides = { readonly logger?: Logger; readonly clock?: () => Date };

/** Starts the worker of events-svc: numbering of the event log and its relay, the export of audit heads, scheduled operations. */
export async function createEventsWorker(config: EventsConfig, overrides: EventsWorkerOverrides = {}) {
  const logger = overrides.logger ?? createLogger("events-worker", config.logLevel);
  const metrics = createMetrics("events-worker");
  const health = createHealth();
  const mongo = await connectMongo(config.mongo);
  const clock = overrides.clock ?? (await databaseClock(mongo));
  const models = eventsModels(mongo);
  if (config.mongo.autoIndex) await buildIndexes(mongo);
  await checkKeyring(mongo, config.keyring, { logger, health });
  health.addCheck("mongodb", () => pingMongo(mongo));
  const redis = connectRedis(config.redis, (error) => logger.warn({ err: error }, "redis connection failed"));
  health.addCheck("redis", async () => (await redis.ping()) === "PONG");
  const identityAt = { address: config.identityAddress, tls: config.tls };
  const identity = connectGrpc(identityAt);
  const disabledClients = await watchDisabledClients({
    identity: identityAt,
    follow: channelFollower(config.redis, (error) => logger.warn({ err: error }, "redis subscription failed")),
    logger,
  });

  const numbering = startEventNumbering(models.event, { logger, clock });
  const subscriber = connectRedis(config.redis, (error) => logger.warn({ err: error }, "redis subscription failed"));
  subscribeToPublished(subscriber, numbering.nudge, logger);
  const relay =
    config.nats === null
      ? null
      : startEventRelay(models.event, models.leases, { nats: config.nats, disabledClients, logger, clock });
  const audits = startAuditHeadExport({
    models: models.audit,
    leases: models.leases,
    publisher: createEventPublisher(models.event, {
      clock,
      isRelayed: config.nats !== null,
      onPublished: numbering.nudge,
    }),
    logger,
    clock,
  });
  const schedules = startSchedules({
    ...config,
    models: models.schedule,
    quota: createQuota(redis),
    limitsOf: createClientLimits(identity, disabledClients),
    clock,
    logger,
    metrics,
  });
  const probes = await serveProbes({
    host: config.host,
    port: config.probePort,
    health,
    registry: metrics.registry,
  });
  health.setServing(true);
  return {
    logger,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      health.setServing(false);
      await Promise.all([numbering.stop(), relay?.stop(), audits.stop(), schedules.stop()]);
      await disabledClients.close();
      identity.close();
      subscriber.disconnect();
      redis.disconnect();
      await mongo.close();
      await probes.close();
    },
  } satisfies RunningProcess & { probePort: number };
}
