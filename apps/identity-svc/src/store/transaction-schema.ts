import { indexOutbox, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { Schema } from "mongoose";
import type {
  IdentityMigrationTransaction,
  PendingVerification,
  VerificationEvidence,
} from "../domain/identity-migration-transaction.ts";

/** The work item of a verification's email: its lease and next attempt. It ends when the email is accepted, permanently rejected, or expired. */
export type VerificationMailWork = {
  state: "queued" | "sent" | "failed";
  attempts: number;
  /** Time at which the next attempt may start, or at which the current lease expires. Null once nothing is left to do. */
  due_at: Date | null;
};

export type VerificationDocument = PendingVerification & {
  link_token_sha256: string;
  /**
   * HMAC of the code under the service key, because six digits could be found from a plain hash immediately. Null if
   * the email has no code.
   */
  code_hmac: string | null;
  mail: VerificationMailWork;
};

export type TransactionDocument = Omit<IdentityMigrationTransaction, "id" | "verification" | "evidence"> &
  OutboxFields & {
    /** Present once its client was notified of the expiry. */
    expiry_told?: true;
    _id: string;
    idempotency_key: string;
    idempotency_fingerprint: string;
    flow_token_sha256: string;
    verification: VerificationDocument | null;
    /** Time at which a worker last started to send one of its emails; null or missing before the first. */
    last_mail_at?: Date | null;
    evidence: VerificationEvidence[];
    /**
     * The asserted address in normalized form, by which operators search. Missing from transactions that were stored
     * before this search existed.
     */
    email_normalized?: string;
    /** True if its personal data has been erased. */
    erased?: true;
    /**
     * Time from which it may be deleted. Null once it is completed, because a legacy subject completes only once, and
     * this must be remembered forever.
     */
    purge_at: Date | null;
  };

const required = { required: true } as const;

const verificationSchema = new Schema<VerificationDocument>(
  {
    id: { type: String, ...required },
    account_id: { type: String, ...required },
    email: { type: String, ...required },
    kind: { type: String, ...required },
    language: String,
    requested_at: { type: Date, ...required },
    link_expires_at: { type: Date, ...required },
    code_expires_at: { type: Date, ...required },
    code_failures: { type: Number, ...required },
    link_token_sha256: { type: String, ...required },
    code_hmac: { type: String, default: null },
    mail: {
      type: new Schema<VerificationMailWork>(
        { state: { type: String, ...required }, attempts: { type: Number, ...required }, due_at: { type: Date } },
        { _id: false, strict: "throw" },
      ),
      ...required,
    },
  },
  { _id: false, id: false, strict: "throw" },
);

const evidenceSchema = new Schema<VerificationEvidence>(
  { account_id: { type: String, ...required }, email: { type: String, ...required }, at: { type: Date, ...required } },
  { _id: false, strict: "throw" },
);

export const transactionSchema = new Schema<TransactionDocument>(
  {
    _id: { type: String, ...required },
    project_client_id: { type: String, ...required },
    idempotency_key: { type: String, ...required },
    idempotency_fingerprint: { type: String, ...required },
    legacy_subject: { type: String, ...required },
    email: { type: String, ...required },
    email_normalized: { type: String },
    erased: Boolean,
    locale: { type: String, ...required },
    correlation_id: { type: String, ...required },
    created_at: { type: Date, ...required },
    expires_at: { type: Date, ...required },
    state: { type: String, ...required },
    account_id: { type: String, default: null },
    linked_at: { type: Date, default: null },
    completed_at: { type: Date, default: null },
    annulled_at: { type: Date, default: null },
    flow_token_sha256: { type: String, ...required },
    flow_token_failures: { type: Number, ...required },
    verification: { type: verificationSchema, default: null },
    verification_count: { type: Number, ...required },
    last_mail_at: { type: Date, default: null },
    evidence: { type: [evidenceSchema], ...required },
    purge_at: { type: Date, default: null },
    expiry_told: Boolean,
    ...outboxSchema,
  },
  { strict: "throw", versionKey: false, collection: "identity_migration_transactions" },
);
transactionSchema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
// Last safeguard of the rule that a legacy subject completes at most once: the confirming write itself would violate
// this index.
transactionSchema.index(
  { project_client_id: 1, legacy_subject: 1 },
  { unique: true, partialFilterExpression: { state: "completed" } },
);
// Index for finding a person's transactions across clients.
transactionSchema.index({ account_id: 1 }, { partialFilterExpression: { account_id: { $gt: "" } } });
transactionSchema.index({ email_normalized: 1 }, { sparse: true });
// Index for operators' lists of transactions, newest first.
transactionSchema.index({ project_client_id: 1, created_at: 1, _id: 1 });
transactionSchema.index({ project_client_id: 1, state: 1, created_at: 1, _id: 1 });
transactionSchema.index({ project_client_id: 1, state: 1, expires_at: 1, _id: 1 });
transactionSchema.index({ project_client_id: 1, legacy_subject: 1, created_at: 1, _id: 1 });
transactionSchema.index({ project_client_id: 1, email_normalized: 1, created_at: 1, _id: 1 });
// Index for the same list across clients. Filtering it by address needs no index of its own, because few transactions
// have the same address.
transactionSchema.index({ created_at: 1, _id: 1 });
transactionSchema.index({ state: 1, created_at: 1, _id: 1 });
transactionSchema.index({ state: 1, expires_at: 1, _id: 1 });
transactionSchema.index({ legacy_subject: 1, created_at: 1, _id: 1 });
transactionSchema.index({ "verification.mail.due_at": 1 }, { sparse: true });
transactionSchema.index({ purge_at: 1 }, { expireAfterSeconds: 0 });
indexOutbox(transactionSchema);

/** The transaction without the fields that only the store needs: hashes, claims and the state of its email. */
export function transactionFromDocument(document: TransactionDocument): IdentityMigrationTransaction {
  const {
    _id,
    idempotency_key: _key,
    idempotency_fingerprint: _fingerprint,
    flow_token_sha256: _token,
    purge_at: _purge,
    last_mail_at: _mailed,
    expiry_told: _told,
    platform_events: _events,
    platform_events_due_at: _eventsDue,
    email_normalized: _normalized,
    erased: _erased,
    annulled_at = null,
    verification,
    ...rest
  } = document;
  if (verification === null) return { id: _id, verification: null, annulled_at, ...rest };
  const { link_token_sha256: _link, code_hmac: _code, mail: _mail, ...pending } = verification;
  return { id: _id, verification: pending, annulled_at, ...rest };
}
