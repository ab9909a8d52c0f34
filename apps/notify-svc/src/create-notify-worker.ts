import { connectGrpc } from "@platform/kit/rpc/client";
import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { followErasures } from "@platform/operator-plane/clients";
import { startRetention } from "@platform/operator-plane/retention";
import { startPlatformService } from "@platform/operator-plane/service";
import { createAttachedFiles } from "./attached-files.ts";
import { createBounceAddresses } from "./bounce-addresses.ts";
import type { WorkerConfig } from "./config.ts";
import { countEndpoints } from "./count-endpoints.ts";
import { createDerivedTokens } from "./derived-tokens.ts";
import { channelOfBulkhead, retryRule } from "./domain/delivery.ts";
import { captureMessages } from "./providers/capture-messages.ts";
import { connectionsMax } from "./providers/sender.ts";
import { createSenders } from "./providers/senders.ts";
import { createStores } from "./store/stores.ts";
import { bulkheadLimits } from "./worker/bulkheads.ts";
import { startDeliveries } from "./worker/deliver-notifications.ts";
import { createDeliveryMetrics } from "./worker/delivery-metrics.ts";
import { followProfiles } from "./worker/follow-profiles.ts";
import { startVerificationPushes } from "./worker/queue-verification-pushes.ts";
import { startCapturedRemoval } from "./worker/remove-captured.ts";
import { startResealing } from "./worker/reseal-profiles.ts";
import { startProfileTests } from "./worker/send-profile-tests.ts";
import { startResubscribeMails } from "./worker/send-resubscribe-mails.ts";
import { startLeaseSweep } from "./worker/sweep-leases.ts";

/** How long deliveries in progress may take when the process stops, in milliseconds. */
const stopMsMax = 12_000;
const retentionEveryMs = 3_600_000;

/** Starts the worker of notify-svc: deliveries, verification pushes, and the sweep of expired leases. */
export const createNotifyWorker = (config: WorkerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "notify-svc-worker",
    config,
    overrides,
    openStores: createStores,
    wire: async (kit) => {
      const { stores, logger, metrics, clock, job, onClose } = kit;
      const { delivery } = config;
      const [disabledClients, toldClients] = await Promise.all([
        kit.watchDisabledClients(),
        kit.watchPlatformEventClients(),
      ]);
      stores.facts.follow(toldClients);
      onClose(countEndpoints(stores, { clock, logger }).close);
      kit.relayPlatformEvents(stores.outboxes);
      const sent = createSenders(config.providers, createBounceAddresses(config.keyring).of);
      const senders = captureMessages(sent, stores.captured.keep, clock);
      onClose(senders.close);
      const filesSvc = connectGrpc({ address: config.filesAddress, tls: config.tls });
      onClose(filesSvc.close);
      const profiles = job(await followProfiles({ stores, senders, clock, logger }, 1_000));
      const deps = {
        stores,
        queue: stores.openQueue({ clock, leaseMs: delivery.leaseMs }),
        senders,
        files: createAttachedFiles(filesSvc),
        profiles,
        failures: job(stores.watchFailingProfiles({ clock, logger })),
        disabledClients,
        logger,
        tokens: createDerivedTokens(config.keyring),
        clock,
        metrics: createDeliveryMetrics(metrics.registry),
        retryRule: { ...retryRule, baseMs: delivery.retryBaseMs },
        pauseMs: delivery.pauseMs,
        createSweep: kit.createSweep,
        publicBaseUrl: config.publicBaseUrl,
        answerMs: config.providers.answerMs,
      };
      const deliveries = startDeliveries(deps, {
        pollMs: delivery.pollMs,
        leaseMs: delivery.leaseMs,
        limits: {
          ...bulkheadLimits,
          total: delivery.concurrency,
          perBulkhead: delivery.bulkheadConcurrency,
          connectionsOf: (bulkhead) => connectionsMax[channelOfBulkhead(bulkhead)],
          pauseMs: delivery.pauseMs,
        },
      });
      job({ stop: () => deliveries.stop(stopMsMax) });
      job(startLeaseSweep(deps, Math.min(5_000, delivery.leaseMs / 2)));
      job(startVerificationPushes(deps, 1_000));
      job(startResealing(deps, 60_000));
      job(startProfileTests(deps, 1_000));
      job(startResubscribeMails(deps, 1_000));
      job(startCapturedRemoval(deps, 3_600_000));
      const { eraser } = stores;
      job(
        followErasures({
          identity: { address: config.identityAddress, tls: config.tls },
          service: "notify",
          erase: async (erasure, signal) =>
            erasure.kind === "client"
              ? (await stores.usage.forget(erasure.clientId)) + (await eraser.eraseClient(erasure.clientId, signal))
              : eraser.erasePerson(erasure.emails, clock(), signal),
          logger,
        }),
      );
      const { registry } = metrics;
      job(
        startRetention(stores.retention, stores.sweeps, {
          everyMs: retentionEveryMs,
          clock,
          logger,
          registry,
          sweep: kit.createSweep("retention"),
        }),
      );
    },
  });
