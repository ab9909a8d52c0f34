import type { Language } from "./page-language.ts";

/**
 * An email to the owner of an account about a change. `new_address` contains the code that proves a new address;
 * `address_taken` contains none, because another account has that address; the others report a completed change.
 */
export type AccountMailKind = "new_address" | "address_taken" | "address_changed" | "password_changed";

export type AccountMail = {
  readonly id: string;
  readonly account_id: string;
  /** Recipient, normalized. For the first two kinds, it is the new address. */
  readonly email: string;
  readonly kind: AccountMailKind;
  readonly language: Language;
  readonly created_at: Date;
  /** Time at which the code expires, or after which the email is no longer sent. */
  readonly expires_at: Date;
};

/** How long a report of a change may wait for the mail server, in milliseconds. */
export const accountNoticeMs = 24 * 60 * 60 * 1000;
/**
 * Maximum number of emails to new addresses within 15 minutes: per account, and per address for all accounts
 * together.
 */
export const addressMailsPerAccountMax = 5;
export const addressMailsPerAddressMax = 3;
