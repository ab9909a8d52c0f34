import { backoffMs } from "@platform/kit/jobs/pacing";
import { type Claim, type JobLoop, startJobLoop } from "@platform/kit/jobs/work";
import type { Keyring } from "@platform/kit/process/secrets";
import type { Logger } from "@platform/kit/process/telemetry";
import type { Counter } from "@prometheus-io/client";
import type { MailContent } from "../mail/mail-layout.ts";
import { type Mailer, MailRefusedError } from "../mail/mailer.ts";
import type { Stores } from "../store/create-stores.ts";
import type { MailQueue } from "../store/mail-queue.ts";

const concurrency = 4;
const pollMs = 300;
/** Delay before the email of a disabled Project Client is checked again, in milliseconds. */
const waitMs = 10_000;
const retryRule = { baseMs: 2_000, maxMs: 5 * 60_000, jitter: 0.2 };

export type MailDelivery = {
  readonly stores: Pick<
    Stores,
    | ("verifications" | "clients" | "passwordResets" | "contacts" | "contactNotices" | "accountMails" | "brands")
    | "members"
  >;
  readonly mailer: Mailer;
  readonly keyring: Keyring;
  readonly publicBaseUrl: string;
  /** Public URL of the console, without a slash at the end. */
  readonly consoleUrl: string;
  /** The platform's own name; null to use each language's name for it. */
  readonly platformName: string | null;
  readonly logger: Logger;
  readonly clock: () => Date;
  /**
   * Emails by outcome: sent, retried, rejected, expired, postponed for a disabled client, abandoned after the lease
   * expired.
   */
  readonly outcomes: Counter<"outcome">;
};

/** A composed email, or the reason why there is none: it is no longer useful, or it has to wait. */
export type PreparedMail = { readonly to: string; readonly content: MailContent } | "outlived" | "waiting";

/** One kind of email, with the queue that contains it. */
export type MailWork<D> = {
  readonly name: string;
  readonly queue: MailQueue<D>;
  /** `id` is the same for every attempt, so that recipients recognize a repeated email by its Message-ID. */
  describe(document: D): { readonly id: string; readonly attempts: number; readonly resourceId: string };
  prepare(document: D): Promise<PreparedMail>;
};

/** Sends queued emails until it is stopped. If a worker dies, its lease expires and another worker sends the email. */
export function deliverMails<D>(delivery: MailDelivery, work: MailWork<D>): JobLoop {
  return startJobLoop<Claim<D>>({
    name: work.name,
    logger: delivery.logger,
    concurrency,
    pollMs,
    claim: async (limit) => {
      const claims: Claim<D>[] = [];
      while (claims.length < limit) {
        const claim = await work.queue.claimNext();
        if (claim === null) break;
        claims.push(claim);
      }
      return claims;
    },
    work: (claim) => deliver(delivery, work, claim).finally(() => work.queue.leave(claim)),
  });
}

async function deliver<D>(
  { mailer, publicBaseUrl, clock, logger, outcomes }: MailDelivery,
  { name, queue, ...work }: MailWork<D>,
  claim: Claim<D>,
): Promise<void> {
  const later = (ms: number): Date => new Date(clock().getTime() + ms);
  const { id, attempts, resourceId } = work.describe(claim.document);
  try {
    const mail = await work.prepare(claim.document);
    if (typeof mail === "string") {
      const isOver = mail === "outlived";
      await queue.settle(claim, { state: isOver ? "failed" : "queued", dueAt: isOver ? null : later(waitMs) });
      outcomes.inc({ outcome: mail });
      return;
    }
    const host = new URL(publicBaseUrl).hostname.replace(/[^a-z0-9.-]/gi, "");
    // A worker that was paused beyond its lease sends nothing, because another one may have sent the email.
    if (!queue.isHeld(claim)) {
      outcomes.inc({ outcome: "lease_over" });
      return;
    }
    await mailer.send(mail.to, `${id}@${host}`, mail.content);
    await queue.settle(claim, { state: "sent", dueAt: null });
    outcomes.inc({ outcome: "sent" });
  } catch (error) {
    const isFinal = error instanceof MailRefusedError;
    const dueAt = isFinal ? null : later(backoffMs(retryRule, attempts));
    await queue.settle(claim, { state: isFinal ? "failed" : "queued", dueAt });
    outcomes.inc({ outcome: isFinal ? "refused" : "retried" });
    logger.warn({ err: error, job: name, resource_id: resourceId, attempt: attempts }, "mail");
  }
}
