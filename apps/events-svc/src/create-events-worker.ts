import { createQuota } from "@platform/quota/quota";
import { followErasures } from "@platform/service-kit/clients/follow-erasures";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { startRetention } from "@platform/service-kit/jobs/retention";
import { createUsageReporter } from "@platform/service-kit/jobs/usage-reporter";
import { type RunningService, type ServiceOverrides, startService } from "@platform/service-kit/service/start-service";
import type { WorkerConfig } from "./config.ts";
import { subscribeToPublished } from "./redis/published-events.ts";
import { createEventsEraser } from "./store/erase-events.ts";
import { eventsModels } from "./store/models.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";
import { createRetentionSweeps } from "./store/retention-sweeps.ts";
import { startAuditHeadExport } from "./worker/export-audit-heads.ts";
import { startEventNumbering } from "./worker/number-events.ts";
import { startEventRelay } from "./worker/relay/relay-events.ts";
import { createClientLimits } from "./worker/schedules/client-limits.ts";
import { startSchedules } from "./worker/schedules/start-schedules.ts";

const retentionEveryMs = 3_600_000;

/** Starts the worker of events-svc: numbering of the event log and its relay, the export of audit heads, scheduled operations. */
export const createEventsWorker = (config: WorkerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startService({
    name: "events-svc-worker",
    config,
    overrides,
    openStores: eventsModels,
    wire: async (kit) => {
      const { stores: models, logger, metrics, clock, job } = kit;
      const redis = kit.connectRedis();
      // Runs are metered in Redis.
      kit.health.addCheck("redis", async () => (await redis.ping()) === "PONG");
      const identity = connectGrpc({ address: config.identityAddress, tls: config.tls });
      kit.onClose(identity.close);
      const disabledClients = await kit.watchDisabledClients();

      const numbering = job(startEventNumbering(models.event, { logger, clock }));
      subscribeToPublished(kit.connectRedis(), numbering.nudge, logger);
      const { natsUrl } = config;
      if (natsUrl !== null)
        job(startEventRelay(models.event, models.leases, { url: natsUrl, disabledClients, logger, clock }));
      const publisher = createEventPublisher(models.event, {
        clock,
        isRelayed: natsUrl !== null,
        onPublished: numbering.nudge,
      });
      job(startAuditHeadExport({ models: models.audit, leases: models.leases, publisher, logger, clock }));
      const quota = createQuota(redis);
      const sweeps = createRetentionSweeps(models, (clientId, amount, id) =>
        quota.giveBackOnce(clientId, "audit_retention", amount, id),
      );
      const eraser = createEventsEraser(models, (clientId, amount, id) =>
        quota.giveBackOnce(clientId, "audit_retention", amount, id),
      );
      job(
        followErasures({
          identity: { address: config.identityAddress, tls: config.tls },
          service: "events",
          erase: (erasure, signal) =>
            erasure.kind === "client"
              ? eraser.eraseClient(erasure.clientId, signal)
              : eraser.erasePerson(erasure, signal),
          logger,
        }),
      );
      const { registry } = metrics;
      job(startRetention(models.retention, sweeps, { everyMs: retentionEveryMs, clock, logger, registry }));
      const usage = createUsageReporter(models.usage.record, { everyMs: 5_000, clock, logger });
      kit.onClose(usage.close);
      job(
        startSchedules({
          ...config,
          usage,
          models: models.schedule,
          quota,
          limitsOf: createClientLimits(identity, disabledClients),
          clock,
          logger,
          metrics,
        }),
      );
    },
  });
