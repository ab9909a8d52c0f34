/** Proof, kept on the transaction and good for it alone, that an account's owner received a mail sent to an address. */
export type VerificationEvidence = {
  readonly account_id: string;
  /** Normalized. */
  readonly email: string;
  readonly at: Date;
};

/** A verification under way: at most one a transaction, for one account and address. What the mail carries is derived from `id`. */
export type PendingVerification = {
  readonly id: string;
  readonly account_id: string;
  /** Normalized. */
  readonly email: string;
  /**
   * What the mail carries. `link`: a link; `code_and_link`: a six-digit code too; `code`: a code alone, for registrations, which a mail scanner
   * that follows links must not complete; `address_taken`: neither, because an account has the address.
   */
  readonly kind: "link" | "code_and_link" | "code" | "address_taken";
  readonly requested_at: Date;
  readonly link_expires_at: Date;
  readonly code_expires_at: Date;
  readonly code_failures: number;
};

/** Does a mail of this kind carry a link, or a code? */
export function mailCarries(kind: PendingVerification["kind"]): { readonly link: boolean; readonly code: boolean } {
  return { link: kind === "link" || kind === "code_and_link", code: kind === "code" || kind === "code_and_link" };
}

/** What is stored; `expired` is not a state but what time makes of the first two, and how an annulled one is shown. */
export type TransactionState = "pending" | "link_pending" | "completed" | "annulled";

/** From a project's legacy subject to a linked Platform Account. */
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
  /** When an operator annulled it; null when none did. */
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
/** Mails sent for one transaction at most, by pages and API together, so that it cannot be used to flood a mailbox. */
export const verificationsMax = 10;
/** The next mail of a transaction is sent no sooner. */
export const verificationEveryMs = 30 * secondMs;

/** The status the contract shows: nothing moves out of an expired transaction, and a completed one never expires. */
export function statusOf(
  transaction: Pick<IdentityMigrationTransaction, "state" | "expires_at">,
  now: Date,
): TransactionStatus {
  const { state } = transaction;
  if (state === "annulled") return "expired";
  return state !== "completed" && transaction.expires_at <= now ? "expired" : state;
}

/** Was an address proven for this very transaction by this very account? */
export function hasEvidenceOf(transaction: Pick<IdentityMigrationTransaction, "evidence">, accountId: string): boolean {
  return transaction.evidence.some((evidence) => evidence.account_id === accountId);
}
