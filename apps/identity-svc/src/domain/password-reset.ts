import type { Language } from "./page-language.ts";

/** A link for a forgotten password. The contents of its email are derived from `id`. */
export type PasswordReset = {
  readonly id: string;
  readonly account_id: string;
  /** The address it is emailed to, normalized. */
  readonly email: string;
  readonly language: Language;
  readonly created_at: Date;
  readonly expires_at: Date;
};

/** Lifetime of the link, in milliseconds. */
export const passwordResetMs = 60 * 60 * 1000;
/**
 * Maximum number of emails to one address in 15 minutes, from all sources together, and the maximum number of
 * addresses for which one source may request emails in that time.
 */
export const resetsPerAddressMax = 3;
export const resetsPerSourceMax = 20;
