import { type RunningService, type ServiceOverrides, startService } from "@platform/service-kit/service/start-service";
import type { WorkerConfig } from "./config.ts";
import { createDerivedTokens } from "./derived-tokens.ts";
import { channelOfLane, retryRule } from "./domain/delivery.ts";
import { laneLimits } from "./domain/lanes.ts";
import { connectionsMax } from "./providers/sender.ts";
import { createSenders } from "./providers/senders.ts";
import { createStores } from "./store/stores.ts";
import { startDeliveries } from "./worker/deliver-notifications.ts";
import { createDeliveryMetrics } from "./worker/delivery-metrics.ts";
import { startVerificationPushes } from "./worker/queue-verification-pushes.ts";
import { startResealing } from "./worker/reseal-profiles.ts";
import { startLeaseSweep } from "./worker/sweep-leases.ts";

/** Time for deliveries under way when the process stops. */
const stopMsMax = 12_000;

/** Starts the worker of notify-svc: deliveries, verification pushes, and the sweep of lost leases. */
export const createNotifyWorker = (config: WorkerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startService({
    name: "notify-svc-worker",
    config,
    overrides,
    openStores: createStores,
    wire: async ({ stores, logger, metrics, clock, watchDisabledClients, job, onClose }) => {
      const { delivery } = config;
      const senders = createSenders(config.providers);
      onClose(senders.close);
      const deps = {
        stores,
        senders,
        disabledClients: await watchDisabledClients(),
        logger,
        tokens: createDerivedTokens(config.keyring),
        clock,
        metrics: createDeliveryMetrics(metrics.registry),
        retryRule: { ...retryRule, baseMs: delivery.retryBaseMs },
        publicBaseUrl: config.publicBaseUrl,
        answerMs: config.providers.answerMs,
      };
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
      job({ stop: () => deliveries.stop(stopMsMax) });
      job(startLeaseSweep(deps, Math.min(5_000, delivery.leaseMs / 2)));
      job(startVerificationPushes(deps, 1_000));
      job(startResealing(deps, 60_000));
    },
  });
