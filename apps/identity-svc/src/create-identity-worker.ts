import { type RunningService, type ServiceOverrides, startService } from "@platform/service-kit/service/start-service";
import { Counter } from "prom-client";
import type { WorkerConfig } from "./config.ts";
import { createMailer } from "./mail/mailer.ts";
import { createStores } from "./store/create-stores.ts";
import { deliverMails, type MailDelivery } from "./worker/deliver-mails.ts";
import { passwordResetMails } from "./worker/password-reset-mails.ts";
import { verificationMails } from "./worker/verification-mails.ts";

/** Starts identity-svc's worker: the jobs of src/worker. */
export const createIdentityWorker = (config: WorkerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startService({
    name: "identity-svc-worker",
    config,
    overrides,
    openStores: createStores,
    wire: ({ stores, logger, metrics, clock, job, onClose }) => {
      const mailer = createMailer(config.mail);
      onClose(mailer.close);
      const delivery: MailDelivery = {
        stores,
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
      job(deliverMails(delivery, verificationMails(delivery)));
      job(deliverMails(delivery, passwordResetMails(delivery)));
    },
  });
