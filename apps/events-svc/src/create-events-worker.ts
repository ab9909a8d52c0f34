import { createQuota } from "@platform/quota/quota";
import { connectGrpc } from "@platform/service-kit/grpc/connect";
import { type RunningService, type ServiceOverrides, startService } from "@platform/service-kit/service/start-service";
import type { WorkerConfig } from "./config.ts";
import { subscribeToPublished } from "./redis/published-events.ts";
import { eventsModels } from "./store/models.ts";
import { createEventPublisher } from "./store/publish-domain-event.ts";
import { startAuditHeadExport } from "./worker/export-audit-heads.ts";
import { startEventNumbering } from "./worker/number-events.ts";
import { startEventRelay } from "./worker/relay/relay-events.ts";
import { createClientLimits } from "./worker/schedules/client-limits.ts";
import { startSchedules } from "./worker/schedules/start-schedules.ts";

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
      job(
        startSchedules({
          ...config,
          models: models.schedule,
          quota: createQuota(redis),
          limitsOf: createClientLimits(identity, disabledClients),
          clock,
          logger,
          metrics,
        }),
      );
    },
  });
