import { connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import type { WorkerConfig } from "./config.ts";

export type IdentityWorker = RunningProcess & { readonly probePort: number };

/** Starts identity-svc's worker: probes, and the jobs of src/worker. */
export async function createIdentityWorker(
  config: WorkerConfig,
  overrides: { logger?: Logger } = {},
): Promise<IdentityWorker> {
  const logger = overrides.logger ?? createLogger("identity-svc-worker", config.logLevel);
  const metrics = createMetrics("identity-svc-worker");
  const health = createHealth();
  const mongo = await connectMongo(config.mongodb);
  health.addCheck("mongodb", () => pingMongo(mongo));
  const probes = await serveProbes({ host: config.host, port: config.probePort, health, registry: metrics.registry });
  health.setServing(true);
  logger.info({ port: probes.port }, "identity-svc worker runs");
  return {
    logger,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      health.setServing(false);
      await probes.close();
      await mongo.close();
    },
  };
}
