import { backoffMs } from "@platform/service-kit/jobs/backoff";
import { type JobLoop, startJobLoop } from "@platform/service-kit/jobs/job-loop";
import type { Logger } from "@platform/service-kit/process/logger";
import type { Keyring } from "@platform/service-kit/secrets/sealed";
import type { Counter } from "@prometheus-io/client";
import type { MailContent } from "../mail/mail-layout.ts";
import { type Mailer, MailRefusedError } from "../mail/mailer.ts";
import type { Stores } from "../store/create-stores.ts";

export const mailLeaseMs = 30_000;
const concurrency = 4;
const pollMs = 300;
/** Until the mail of a disabled Project Client is looked at again. */
const waitMs = 10_000;
const retryRule = { baseMs: 2_000, maxMs: 5 * 60_000, jitter: 0.2 };

export type MailDelivery = {
  readonly stores: Pick<Stores, "verifications" | "clients" | "passwordResets">;
  readonly mailer: Mailer;
  readonly keyring: Keyring;
  readonly publicBaseUrl: string;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Mails by what became of them: sent, retried, refused, outlived, waiting for a disabled client, left because the lease was over. */
  readonly outcomes: Counter<"outcome">;
};

/** A mail made ready; or why there is none: nobody could use it any more, or it has to wait. */
export type PreparedMail = { readonly to: string; readonly content: MailContent } | "outlived" | "waiting";

/** One kind of mail as work. `Claimed` is a mail that a worker has by lease. */
export type MailQueue<Claimed> = {
  readonly name: string;
  claim(now: Date, leaseUntil: Date): Promise<Claimed | null>;
  /** `id` is the same for every try, so that a doubled mail is recognised by its Message-ID. */
  describe(claimed: Claimed): { readonly id: string; readonly attempts: number; readonly resourceId: string };
  prepare(claimed: Claimed): Promise<PreparedMail>;
  settle(claimed: Claimed, outcome: { state: "queued" | "sent" | "failed"; dueAt: Date | null }): Promise<void>;
};

type Leased<Claimed> = { readonly claimed: Claimed; readonly leaseUntil: Date };

/** Sends queued mails until stopped. A worker that dies mid-way loses its lease, and another sends the mail. */
export function deliverMails<Claimed>(delivery: MailDelivery, queue: MailQueue<Claimed>): JobLoop {
  return startJobLoop<Leased<Claimed>>({
    name: queue.name,
    logger: delivery.logger,
    concurrency,
    pollMs,
    claim: async (limit) => {
      const leased: Leased<Claimed>[] = [];
      while (leased.length < limit) {
        const now = delivery.clock();
        const leaseUntil = new Date(now.getTime() + mailLeaseMs);
        const claimed = await queue.claim(now, leaseUntil);
        if (claimed === null) break;
        leased.push({ claimed, leaseUntil });
      }
      return leased;
    },
    work: (leased) => deliver(delivery, queue, leased),
  });
}

async function deliver<Claimed>(
  { mailer, publicBaseUrl, clock, logger, outcomes }: MailDelivery,
  queue: MailQueue<Claimed>,
  { claimed, leaseUntil }: Leased<Claimed>,
): Promise<void> {
  const later = (ms: number): Date => new Date(clock().getTime() + ms);
  const { id, attempts, resourceId } = queue.describe(claimed);
  try {
    const mail = await queue.prepare(claimed);
    if (typeof mail === "string") {
      const isOver = mail === "outlived";
      await queue.settle(claimed, { state: isOver ? "failed" : "queued", dueAt: isOver ? null : later(waitMs) });
      outcomes.inc({ outcome: mail });
      return;
    }
    const host = new URL(publicBaseUrl).hostname.replace(/[^a-z0-9.-]/gi, "");
    // A worker that was paused past its lease begins nothing: another may have sent the mail.
    if (clock() >= leaseUntil) {
      outcomes.inc({ outcome: "lease_over" });
      return;
    }
    await mailer.send(mail.to, `${id}@${host}`, mail.content);
    await queue.settle(claimed, { state: "sent", dueAt: null });
    outcomes.inc({ outcome: "sent" });
  } catch (error) {
    const isFinal = error instanceof MailRefusedError;
    const dueAt = isFinal ? null : later(backoffMs(retryRule, attempts));
    await queue.settle(claimed, { state: isFinal ? "failed" : "queued", dueAt });
    outcomes.inc({ outcome: isFinal ? "refused" : "retried" });
    logger.warn({ err: error, job: queue.name, resource_id: resourceId, attempt: attempts }, "mail");
  }
}
