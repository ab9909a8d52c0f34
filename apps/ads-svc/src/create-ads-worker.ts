import { repeat } from "@platform/kit/jobs/pacing";
import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { followErasures } from "@platform/operator-plane/clients";
import { startPlatformService } from "@platform/operator-plane/service";
import { Gauge } from "@prometheus-io/client";
import type { WorkerConfig } from "./config.ts";
import { createAdsStore } from "./store/ads-store.ts";
import { auditLedgers } from "./worker/audit-ledgers.ts";
import { eraseRetiredKeys } from "./worker/erase-retired-keys.ts";

const housekeepingMs = 60_000;

/**
 * Starts the worker of ads-svc, which erases old private keys and audits ledgers. Impressions are charged without it.
 */
export const createAdsWorker = (config: WorkerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "ads-svc-worker",
    config,
    overrides,
    openStores: createAdsStore,
    wire: ({ stores: store, logger, metrics, clock, job, createSweep }) => {
      const faults = new Gauge({
        name: "platform_ads_ledger_faults",
        help: "Campaigns whose ledger does not add up; anything but 0 is an incident.",
        registers: [metrics.registry],
      });
      // Several replicas may run these jobs at the same time.
      const housekeep = (name: string, work: (signal: AbortSignal) => Promise<void>) =>
        job(repeat(name, housekeepingMs, logger, work));
      job(
        followErasures({
          identity: { address: config.identityAddress, tls: config.tls },
          service: "ads",
          // Impressions contain no reference to a person, and the charge is computed from them, so an erasure keeps
          // them.
          erase: async (erasure) =>
            erasure.kind === "client" ? store.campaigns.eraseOf(erasure.clientId, clock()) : 0,
          logger,
        }),
      );
      housekeep("erase-retired-keys", async () => void (await eraseRetiredKeys(store.signingKeys, clock())));
      const audits = createSweep("audit-ledgers");
      housekeep("audit-ledgers", async (signal) => faults.set(await auditLedgers(store, audits, logger, signal)));
    },
  });
