import { checkKeyring } from "@platform/service-kit/mongo/check-keyring";
import { connectMongo, pingMongo } from "@platform/service-kit/mongo/connect";
import { databaseClock } from "@platform/service-kit/mongo/database-clock";
import { createHealth, serveProbes } from "@platform/service-kit/process/health";
import { createLogger, type Logger } from "@platform/service-kit/process/logger";
import { createMetrics } from "@platform/service-kit/process/metrics";
import type { RunningProcess } from "@platform/service-kit/process/run";
import { Counter } from "@prometheus-io/client";
import type { WorkerConfig } from "./config.ts";
import { createMailer } from "./mail/mailer.ts";
import { createStores } from "./store/create-stores.ts";
import { deliverMails, type MailDelivery } from "./worker/deliver-mails.ts";
import { passwordResetMails } from "./worker/password-reset-mails.ts";
import { verificationMails } from "./worker/verification-mails.ts";

export type IdentityWorker = RunningProcess & { readonly probePort: number };

/** Starts identity-svc's worker: the jobs of src/worker, and probes. */
export async function createIdentityWorker(
  config: WorkerConfig,
  overrides: { logger?: Logger; clock?: () => Date } = {},
): Promise<IdentityWorker> {
  const logger = overrides.logger ?? createLogger("identity-svc-worker", config.logLevel);
  const metrics = createMetrics("identity-svc-worker");
  const health = createHealth();
  const mongo = await connectMongo(config.mongodb);
  const clock = overrides.clock ?? (await databaseClock(mongo));
  await checkKeyring(mongo, config.keyring, { logger, health });
  health.addCheck("mongodb", () => pingMongo(mongo));
  const probes = await serveProbes({ host: config.host, port: config.probePort, health, registry: metrics.registry });
  const mailer = createMailer(config.mail);
  const delivery: MailDelivery = {
    stores: createStores(mongo),
    mailer,
    keyring: config.keyring,
    publicBaseUrl: config.publicBaseUrl,
    logger,
    clock,
    outcomes: new Counter({
      name: "platform_identity_verification_mails_total",
      help: "Mails to people tried (verification, forgotten passwords), by what became of the try.",
      labelNames: ["outcome"],
      registers: [metrics.registry],
    }),
  };
  const loops = [
    deliverMails(delivery, verificationMails(delivery)),
    deliverMails(delivery, passwordResetMails(delivery)),
  ];
  health.setServing(true);
  logger.info({ port: probes.port }, "identity-svc worker runs");
  return {
    logger,
    probePort: probes.port,
    stopServing: () => health.setServing(false),
    close: async () => {
      health.setServing(false);
      await Promise.all(loops.map((loop) => loop.stop()));
      mailer.close();
      await probes.close();
      await mongo.close();
    },
  };
}
