import { startJobLoop } from "@platform/service-kit/jobs/job-loop";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import { Gauge } from "@prometheus-io/client";
import type { WorkerConfig } from "./config.ts";
import { openAdsStore } from "./store/ads-store.ts";
import { auditLedgers } from "./worker/audit-ledgers.ts";
import { eraseRetiredKeys } from "./worker/erase-retired-keys.ts";

export type AdsWorker = RunningProcess & { readonly probePort: number };

const housekeepingMs = 60_000;

/** Starts the worker of ads-svc, which erases old private keys and audits ledgers. Charging needs no worker. */
export async function createAdsWorker(
  config: WorkerConfig,
  overrides: { logger?: Logger; clock?: () => Date } = {},
): Promise<AdsWorker> {
  const logger = overrides.logger ?? createLogger("ads-svc-worker", config.logLevel);
  const metrics = createMetrics("ads-svc-worker");
  const faults = new Gauge({
    name: "platform_ads_ledger_faults",
    help: "Campaigns whose ledger does not add up; anything but 0 is an incident.",
    registers: [metrics.registry],
  });
  const store = await openAdsStore(config.mongo);
  const clock = overrides.clock ?? store.clock;
  const health = createHealth();
  health.addCheck("mongodb", store.ping);
  const jobs: Readonly<Record<string, (signal: AbortSignal) => Promise<void>>> = {
    "erase-retired-keys": async () => void (await eraseRetiredKeys(store.signingKeys, clock())),
    "audit-ledgers": async (signal) => faults.set(await auditLedgers(store, logger, signal)),
  };
  const loops = Object.entries(jobs).map(([name, job]) => everyMinute(name, job, logger));
  const probes = await serveProbes({ host: config.host, port: config.probePort, health, registry: metrics.registry });
  health.setServing(true);
  return {
    logger,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await store.close();
      await probes.close();
    },
  };
}

/** A job that runs at start and then about once a minute. Replicas may run it concurrently. */
function everyMinute(name: string, job: (signal: AbortSignal) => Promise<void>, logger: Logger) {
  let nextMs = 0;
  return startJobLoop<true>({
    name,
    logger,
    concurrency: 1,
    pollMs: housekeepingMs / 4,
    claim: async () => {
      if (performance.now() < nextMs) return [];
      nextMs = performance.now() + housekeepingMs;
      return [true];
    },
    work: (_turn, signal) => job(signal),
  });
}
