import type { Language } from "./page-language.ts";

/** Evidence, stored in the transaction and valid only for it, that an account's owner received an email sent to an address. */
export type VerificationEvidence = {
  readonly account_id: string;
  /** The address in normalized form. */
  readonly email: string;
  readonly at: Date;
};

/**
 * A verification in progress: at most one per transaction, for one account and address. The email's code and link are
 * derived from `id`.
 */
export type PendingVerification = {
  readonly id: string;
  readonly account_id: string;
  /** The address in normalized form. */
  readonly email: string;
  /**
   * Contents of the email. `link`: a link; `code_and_link`: also a six-digit code; `code`: only a code, for
   * registrations, which a mail scanner that follows links must not complete; `address_taken`: neither, because an
   * account has the address.
   */
  readonly kind: "link" | "code_and_link" | "code" | "address_taken";
  /** The language of the pages on which it was requested, otherwise the transaction's locale. */
  readonly language?: Language;
  readonly requested_at: Date;
  readonly link_expires_at: Date;
  readonly code_expires_at: Date;
  readonly code_failures: number;
};

/** Returns whether an email of this kind contains a link, and whether it contains a code. */
export function mailContents(kind: PendingVerification["kind"]): { readonly link: boolean; readonly code: boolean } {
  return { link: kind === "link" || kind === "code_and_link", code: kind === "code" || kind === "code_and_link" };
}

/**
 * Stored states. `expired` is computed from the time of the first two, and is the status of an annulled transaction.
 */
export type TransactionState = "pending" | "link_pending" | "completed" | "annulled";

/** The migration of a project's legacy subject to a linked Platform Account. */
export type IdentityMigrationTransaction = {
  readonly id: string;
  readonly project_client_id: string;
  readonly legacy_subject: string;
  /** The asserted address as the project sent it. */
  readonly email: string;
  readonly locale: string;
  readonly correlation_id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly state: TransactionState;
  readonly account_id: string | null;
  readonly linked_at: Date | null;
  readonly completed_at: Date | null;
  /** Time at which an operator annulled it, or null. */
  readonly annulled_at: Date | null;
  readonly flow_token_failures: number;
  readonly verification: PendingVerification | null;
  readonly verification_count: number;
  readonly evidence: readonly VerificationEvidence[];
};

export type TransactionStatus = Exclude<TransactionState, "annulled"> | "expired";

const secondMs = 1000;

/** How far ahead a transaction may expire. */
export const transactionLifetimeMsMax = 7 * 24 * 60 * 60 * secondMs;
/** How long a transaction that did not complete can still be read after it expired. */
export const transactionKeptMs = 30 * 24 * 60 * 60 * secondMs;
export const flowTokenFailuresMax = 10;
export const verificationLinkMs = 60 * 60 * secondMs;
export const verificationCodeMs = 10 * 60 * secondMs;
export const verificationCodeFailuresMax = 5;
/** Most emails of one transaction, by pages and API together, so that it cannot flood a mailbox. */
export const verificationsMax = 10;
/** Minimum time between two emails of a transaction. */
export const verificationEveryMs = 30 * secondMs;

/** The status of the contract: an expired transaction never changes, and a completed one never expires. */
export function statusOf(
  transaction: Pick<IdentityMigrationTransaction, "state" | "expires_at">,
  now: Date,
): TransactionStatus {
  const { state } = transaction;
  if (state === "annulled") return "expired";
  return state !== "completed" && transaction.expires_at <= now ? "expired" : state;
}

/** True if this transaction contains evidence of an address for this account. */
export function hasEvidenceOf(transaction: Pick<IdentityMigrationTransaction, "evidence">, accountId: string): boolean {
  return transaction.evidence.some((evidence) => evidence.account_id === accountId);
}
