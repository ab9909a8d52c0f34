import { dependencyUnavailable } from "@platform/kit/rpc/errors";
import type { Model } from "mongoose";
import {
  type IdentityMigrationTransaction,
  mailContents,
  statusOf,
  type VerificationEvidence,
  verificationCodeFailuresMax,
  verificationEveryMs,
  verificationsMax,
} from "../domain/identity-migration-transaction.ts";
import { createMailQueue, type MailQueue } from "./mail-queue.ts";
import { type TransactionDocument, transactionFromDocument, type VerificationDocument } from "./transaction-schema.ts";

/** `ended`: the transaction completed or expired, or will expire before the email is due. */
export type VerificationRefusal = "ended" | "limit_reached" | "too_soon";

/** Verification of addresses, stored in the transaction. A verification and its email are one write. */
export type EmailVerificationStore = {
  /**
   * Replaces a verification in progress and queues its email, at most ten per transaction. The email is due
   * immediately, or 30 seconds after the last one.
   * @param spacing within those 30 seconds: `wait` queues the email for the end of that time, `refuse` changes nothing
   */
  begin(
    transactionId: string,
    verification: Omit<VerificationDocument, "mail">,
    spacing: "wait" | "refuse",
    now: Date,
  ): Promise<IdentityMigrationTransaction | VerificationRefusal>;
  /** Consumes a link and records its evidence. Returns null unless it is the transaction's current, unexpired link. */
  useLink(
    transactionId: string,
    linkTokenSha256: string,
    now: Date,
  ): Promise<{ transaction: IdentityMigrationTransaction; evidence: VerificationEvidence } | null>;
  /** Consumes a code and records its evidence, or counts a wrong one; the fifth wrong one invalidates the code. */
  useCode(
    transactionId: string,
    accountId: string,
    isRight: (verificationId: string, codeHmac: string) => boolean,
    now: Date,
  ): Promise<VerificationEvidence | "wrong" | "dead">;
  /** The emails that are to be sent, for a worker. */
  openMails(clock: () => Date): MailQueue<TransactionDocument>;
};

export function createEmailVerificationStore(model: Model<TransactionDocument>): EmailVerificationStore {
  /**
   * Turns the verification into evidence. The filter contains the verification that was read, so of two concurrent uses
   * one succeeds.
   */
  const recordEvidence = async (
    document: TransactionDocument,
    verification: VerificationDocument,
    now: Date,
  ): Promise<{ transaction: IdentityMigrationTransaction; evidence: VerificationEvidence } | null> => {
    const evidence = { account_id: verification.account_id, email: verification.email, at: now };
    const after = await model
      .findOneAndUpdate(
        {
          _id: document._id,
          "verification.id": verification.id,
          state: { $ne: "completed" },
          expires_at: { $gt: now },
        },
        { $set: { verification: null }, $push: { evidence } },
        { returnDocument: "after" },
      )
      .lean<TransactionDocument>();
    return after === null ? null : { transaction: transactionFromDocument(after), evidence };
  };
  return {
    begin: async (transactionId, verification, spacing, now) => {
      const lately = new Date(now.getTime() - verificationEveryMs);
      for (let attempt = 0; attempt < beginTriesMax; attempt += 1) {
        const seen = await model.findById(transactionId).lean<TransactionDocument>();
        const lastMailAt = seen?.last_mail_at ?? null;
        const dueAt =
          lastMailAt !== null && lastMailAt > lately ? new Date(lastMailAt.getTime() + verificationEveryMs) : now;
        const refusal = refusalOf(seen, spacing, dueAt, now);
        if (refusal !== null) return refusal;
        const mail = { state: "queued", attempts: 0, due_at: dueAt } as const;
        const begun = await model
          .findOneAndUpdate(
            {
              _id: transactionId,
              state: { $ne: "completed" },
              expires_at: { $gt: dueAt },
              verification_count: { $lt: verificationsMax },
              // If a worker has started to send an email since this was read, the write fails and is tried again,
              // because the email may be due later.
              last_mail_at: lastMailAt,
              ...(spacing === "refuse"
                ? { $or: [{ verification: null }, { "verification.requested_at": { $lte: lately } }] }
                : {}),
            },
            { $set: { verification: { ...verification, mail } }, $inc: { verification_count: 1 } },
            { returnDocument: "after" },
          )
          .lean<TransactionDocument>();
        if (begun !== null) return transactionFromDocument(begun);
      }
      throw dependencyUnavailable();
    },
    useLink: async (transactionId, linkTokenSha256, now) => {
      const document = await model
        .findOne({ _id: transactionId, "verification.link_token_sha256": linkTokenSha256 })
        .lean<TransactionDocument>();
      const verification = document?.verification ?? null;
      if (document === null || verification === null) return null;
      if (!mailContents(verification.kind).link || verification.link_expires_at <= now) return null;
      return recordEvidence(document, verification, now);
    },
    useCode: async (transactionId, accountId, isRight, now) => {
      const document = await model.findById(transactionId).lean<TransactionDocument>();
      const verification = document?.verification ?? null;
      if (document === null || verification === null || verification.account_id !== accountId) return "dead";
      if (verification.code_expires_at <= now) return "dead";
      // Attempts are counted before the comparison, by a write that also enforces the limit, so of fifty concurrent
      // attempts only five are compared.
      const counted = await model
        .findOneAndUpdate(
          {
            _id: transactionId,
            "verification.id": verification.id,
            "verification.code_failures": { $lt: verificationCodeFailuresMax },
          },
          { $inc: { "verification.code_failures": 1 } },
          { returnDocument: "after" },
        )
        .lean<TransactionDocument>();
      if (counted === null) return "dead";
      if (verification.code_hmac === null || !isRight(verification.id, verification.code_hmac)) return "wrong";
      return (await recordEvidence(document, verification, now))?.evidence ?? "dead";
    },
    openMails: (clock) =>
      createMailQueue(model, {
        clock,
        path: "verification.mail",
        identity: ["verification.id"],
        onClaim: (now) => ({ last_mail_at: now }),
      }),
  };
}

/** An attempt fails only if a worker starts to send an email in between, and emails are at least 30 seconds apart. */
const beginTriesMax = 5;

/** The reason to reject a new verification, or null. */
function refusalOf(
  seen: TransactionDocument | null,
  spacing: "wait" | "refuse",
  dueAt: Date,
  now: Date,
): VerificationRefusal | null {
  if (seen === null || seen.state === "completed" || statusOf(seen, dueAt) === "expired") return "ended";
  if (seen.verification_count >= verificationsMax) return "limit_reached";
  if (spacing === "wait") return null;
  const requestedAt = seen.verification?.requested_at.getTime() ?? Number.NEGATIVE_INFINITY;
  return dueAt > now || requestedAt > now.getTime() - verificationEveryMs ? "too_soon" : null;
}
