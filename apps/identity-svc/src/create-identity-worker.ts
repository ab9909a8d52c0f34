import { repeat } from "@platform/kit/jobs/pacing";
import type { RunningService, ServiceOverrides } from "@platform/kit/service/start";
import { startRetention } from "@platform/operator-plane/retention";
import { startPlatformService } from "@platform/operator-plane/service";
import { createQuota } from "@platform/quota/quota";
import { Counter } from "@prometheus-io/client";
import type { WorkerConfig } from "./config.ts";
import { createMailer } from "./mail/mailer.ts";
import { createStores } from "./store/create-stores.ts";
import { tellContacts } from "./store/tell-contacts.ts";
import { accountMails } from "./worker/account-mails.ts";
import { contactConfirmationMails, contactNoticeMails } from "./worker/contact-mails.ts";
import { deliverMails, type MailDelivery } from "./worker/deliver-mails.ts";
import { startErasing } from "./worker/erase.ts";
import { invitationMails } from "./worker/member-mails.ts";
import { passwordResetMails } from "./worker/password-reset-mails.ts";
import { tellOfTimes } from "./worker/tell-clients.ts";
import { verificationMails } from "./worker/verification-mails.ts";
import { createQuotaWatch, watchQuotasOfToldClients } from "./worker/watch-quotas.ts";

const tellOfTimesMs = 5_000;
const watchToldMs = 2_000;
const watchAllMs = 60_000;
const retentionEveryMs = 3_600_000;

/** Starts identity-svc's worker: the jobs of src/worker. */
export const createIdentityWorker = (config: WorkerConfig, overrides: ServiceOverrides = {}): Promise<RunningService> =>
  startPlatformService({
    name: "identity-svc-worker",
    config,
    overrides,
    openStores: createStores,
    wire: ({ stores, logger, metrics, clock, job, onClose, connectRedis, relayPlatformEvents, createSweep }) => {
      const { quotaDefaults } = config;
      const watching = { stores, quota: createQuota(connectRedis()), quotaDefaults, clock, logger };
      job(repeat("tell-of-times", tellOfTimesMs, logger, () => tellOfTimes({ stores, clock })));
      const told = createSweep("tell-of-quotas");
      job(repeat("tell-of-quotas", watchToldMs, logger, (signal) => watchQuotasOfToldClients(watching, told, signal)));
      job(
        repeat(
          "watch-quotas",
          watchAllMs,
          logger,
          createQuotaWatch(watching, createSweep("watch-quotas"), metrics.registry),
        ),
      );
      relayPlatformEvents(stores.outboxes, async (facts) => {
        const notices = facts.map(({ clientId, fact }) => ({ clientId, notice: fact }));
        await tellContacts(stores, notices, clock());
      });
      job(
        startRetention(stores.retention, [stores.requestLog.sweep], {
          everyMs: retentionEveryMs,
          clock,
          logger,
          registry: metrics.registry,
          sweep: createSweep("retention"),
        }),
      );
      const mailer = createMailer(config.mail);
      onClose(mailer.close);
      const delivery: MailDelivery = {
        stores,
        mailer,
        keyring: config.keyring,
        publicBaseUrl: config.publicBaseUrl,
        consoleUrl: config.consoleUrl,
        platformName: config.platformBrand.name,
        logger,
        clock,
        outcomes: new Counter({
          name: "platform_identity_verification_mails_total",
          help: "Mails to people tried (verification, forgotten passwords, changes of accounts), by what became of the try.",
          labelNames: ["outcome"],
          registers: [metrics.registry],
        }),
      };
      job(deliverMails(delivery, verificationMails(delivery)));
      job(deliverMails(delivery, passwordResetMails(delivery)));
      job(deliverMails(delivery, contactConfirmationMails(delivery)));
      job(deliverMails(delivery, contactNoticeMails(delivery)));
      job(deliverMails(delivery, accountMails(delivery)));
      job(deliverMails(delivery, invitationMails(delivery)));
      job(startErasing({ stores, keyring: config.keyring, logger, clock }));
    },
  });
