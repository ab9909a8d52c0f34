import { backoffMs } from "@platform/service-kit/jobs/backoff";
import { type JobLoop, startJobLoop } from "@platform/service-kit/jobs/job-loop";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Keyring } from "@platform/service-kit/secrets/sealed";
import type { Counter } from "prom-client";
import { languageOf } from "../domain/page-language.ts";
import { type Mailer, MailRefusedError } from "../mail/mailer.ts";
import { type MailContent, verificationMail } from "../mail/verification-mail.ts";
import { recoverCode, recoverToken } from "../operations/derived-tokens.ts";
import { verificationLink } from "../operations/verification-link.ts";
import type { Stores } from "../store/create-stores.ts";
import type { ClaimedVerificationMail } from "../store/email-verifications.ts";

export const mailLeaseMs = 30_000;
const concurrency = 4;
const pollMs = 300;
/** Until the mail of a disabled Project Client is looked at again. */
const disabledWaitMs = 10_000;
const retryRule = { baseMs: 2_000, maxMs: 5 * 60_000, jitter: 0.2 };

export type MailDelivery = {
  readonly stores: Pick<Stores, "verifications" | "clients">;
  readonly mailer: Mailer;
  readonly keyring: Keyring;
  readonly publicBaseUrl: string;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Mails by what became of them: sent, retried, refused, outlived, waiting for a disabled client. */
  readonly outcomes: Counter<"outcome">;
};

/** Sends queued verification mails until stopped. A worker that dies mid-way loses its lease, and another sends the mail. */
export function deliverVerificationMails(delivery: MailDelivery): JobLoop {
  return startJobLoop({
    name: "deliver-verification-mails",
    logger: delivery.logger,
    concurrency,
    pollMs,
    claim: async (limit) => {
      const claimed: ClaimedVerificationMail[] = [];
      while (claimed.length < limit) {
        const now = delivery.clock();
        const mail = await delivery.stores.verifications.claimMail(now, new Date(now.getTime() + mailLeaseMs));
        if (mail === null) break;
        claimed.push(mail);
      }
      return claimed;
    },
    work: (claimed) => deliver(delivery, claimed),
  });
}

async function deliver(delivery: MailDelivery, claimed: ClaimedVerificationMail): Promise<void> {
  const { stores, clock, logger, outcomes } = delivery;
  const { verification, transaction } = claimed;
  const { attempts } = verification.mail;
  if (verification.link_expires_at <= clock() || transaction.expires_at <= clock()) {
    await stores.verifications.settleMail(claimed, { state: "failed", dueAt: null });
    outcomes.inc({ outcome: "outlived" });
    return;
  }
  const client = await stores.clients.find(transaction.project_client_id);
  if (client === null || client.disabled_at !== null) {
    const dueAt = new Date(clock().getTime() + disabledWaitMs);
    await stores.verifications.settleMail(claimed, { state: "queued", dueAt });
    outcomes.inc({ outcome: "waiting" });
    return;
  }
  try {
    const host = new URL(delivery.publicBaseUrl).hostname.replace(/[^a-z0-9.-]/gi, "");
    await delivery.mailer.send(
      verification.email,
      `${verification.id}@${host}`,
      compose(delivery, client.name, claimed),
    );
    await stores.verifications.settleMail(claimed, { state: "sent", dueAt: null });
    outcomes.inc({ outcome: "sent" });
  } catch (error) {
    const isFinal = error instanceof MailRefusedError;
    const dueAt = isFinal ? null : new Date(clock().getTime() + backoffMs(retryRule, attempts));
    await stores.verifications.settleMail(claimed, { state: isFinal ? "failed" : "queued", dueAt });
    outcomes.inc({ outcome: isFinal ? "refused" : "retried" });
    logger.warn(
      { err: error, job: "deliver-verification-mails", resource_id: transaction.id, attempt: attempts },
      "mail",
    );
  }
}

/** Writes the mail; link and code come into being here, and live only in the mail. */
function compose(
  { keyring, publicBaseUrl }: MailDelivery,
  project: string,
  { transaction, verification }: ClaimedVerificationMail,
): MailContent {
  const { id, kind, code_hmac, link_token_sha256 } = verification;
  return verificationMail({
    language: languageOf(transaction.locale),
    project,
    email: verification.email,
    code: code_hmac === null ? null : recoverCode(keyring, id, code_hmac),
    link:
      kind === "address_taken"
        ? null
        : verificationLink(
            publicBaseUrl,
            transaction.id,
            recoverToken(keyring, "email-verification.link-token", id, link_token_sha256),
          ),
  });
}
