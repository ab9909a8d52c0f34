import { ProjectAuditAdminService, ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { DomainEventConsumerService } from "@platform/proto/events/v1/events_consumer";
import {
  DomainEventService,
  ProjectAuditService,
  QuotaLevelService,
  ScheduledOperationService,
} from "@platform/proto/events/v1/events_service";
import { connectRedis } from "@platform/quota/connect-redis";
import { gatewayOrOperatorGuard, operatorGuard } from "@platform/service-kit/grpc/operator-guard";
import { implement, serveGrpc } from "@platform/service-kit/grpc/serve";
import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { buildIndexes, connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { EventsServerConfig } from "./config.ts";
import { listProjectAudits } from "./grpc/admin/list-project-audits.ts";
import { scheduledOperationAdmin } from "./grpc/admin/scheduled-operation-admin.ts";
import { verifyProjectAudits } from "./grpc/admin/verify-project-audits.ts";
import { createProjectAudit } from "./grpc/create-project-audit.ts";
import { getQuotaLevel } from "./grpc/get-quota-level.ts";
import { publishDomainEvent } from "./grpc/publish-domain-event.ts";
import { readEvents } from "./grpc/read-events.ts";
import { registerScheduledOperation } from "./grpc/register-scheduled-operation.ts";
import { createAnnouncePublished } from "./redis/published-events.ts";
import { createAuditAppender } from "./store/append-project-audit.ts";
import { eventsModels } from "./store/models.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";

/** What tests may put in the place of the real thing. */
export type EventsServerOverrides = { readonly logger?: Logger; readonly clock?: () => Date };

/** Starts the server of events-svc: its gRPC port and its probes. */
export async function createEventsServer(config: EventsServerConfig, overrides: EventsServerOverrides = {}) {
  const logger = overrides.logger ?? createLogger("events-svc", config.logLevel);
  const metrics = createMetrics("events-svc");
  const health = createHealth();
  const mongo = await connectMongo(config.mongo);
  const clock = overrides.clock ?? (await databaseClock(mongo));
  const models = eventsModels(mongo);
  if (config.mongo.autoIndex) await buildIndexes(mongo);
  await checkKeyring(mongo, config.keyring, { logger, health });
  health.addCheck("mongodb", () => pingMongo(mongo));

  const closing = new AbortController();
  const isOperator = operatorGuard(config.operatorToken);
  const appender = createAuditAppender(models.audit, clock);
  const redis = connectRedis(config.redis, (error) => logger.warn({ err: error }, "redis connection failed"));
  const publisher = createEventPublisher(models.event, {
    clock,
    isRelayed: config.nats !== null,
    onPublished: createAnnouncePublished(redis, logger),
  });
  const grpc = await serveGrpc({
    host: config.host,
    port: config.grpcPort,
    tls: config.tls,
    logger,
    metrics,
    health,
    services: [
      implement(ProjectAuditService, { createProjectAudit: createProjectAudit(appender) }),
      implement(DomainEventService, { publishDomainEvent: publishDomainEvent(publisher) }),
      implement(ScheduledOperationService, {
        registerScheduledOperation: registerScheduledOperation(models.schedule, { ...config, clock }),
      }),
      implement(
        QuotaLevelService,
        { getQuotaLevel: getQuotaLevel(models.audit) },
        gatewayOrOperatorGuard(config.operatorToken),
      ),
      implement(DomainEventConsumerService, { readEvents: readEvents(models.event, closing.signal) }, isOperator),
      implement(
        ProjectAuditAdminService,
        {
          listProjectAudits: listProjectAudits(models.audit),
          verifyProjectAudits: verifyProjectAudits(models.audit),
        },
        isOperator,
      ),
      implement(ScheduledOperationAdminService, scheduledOperationAdmin(models.schedule, clock), isOperator),
    ],
  });
  const probes = await serveProbes({
    host: config.host,
    port: config.probePort,
    health,
    registry: metrics.registry,
  });
  health.setServing(true);
  logger.info({ port: grpc.port }, "events-svc serves");
  return {
    logger,
    grpcPort: grpc.port,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      health.setServing(false);
      closing.abort();
      await grpc.close();
      redis.disconnect();
      await mongo.close();
      await probes.close();
    },
  } satisfies RunningProcess & { grpcPort: number; probePort: number };
}
