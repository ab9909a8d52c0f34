import { passwordResetMail } from "../mail/password-reset-mail.ts";
import { recoverToken } from "../operations/derived-tokens.ts";
import type { ClaimedResetMail } from "../store/password-resets.ts";
import type { MailDelivery, MailQueue } from "./deliver-mails.ts";

/** Mails with the link for a forgotten password. */
export function passwordResetMails({
  stores,
  keyring,
  publicBaseUrl,
  clock,
}: MailDelivery): MailQueue<ClaimedResetMail> {
  return {
    name: "deliver-password-reset-mails",
    claim: stores.passwordResets.claimMail,
    settle: stores.passwordResets.settleMail,
    describe: ({ reset, attempts }) => ({ id: reset.id, attempts, resourceId: reset.id }),
    prepare: async ({ reset, tokenSha256 }) => {
      if (reset.expires_at <= clock()) return "outlived";
      const token = recoverToken(keyring, "password-reset.link-token", reset.id, tokenSha256);
      const link = `${publicBaseUrl}/api/v1/identity-migration/reset-password/${token}`;
      return { to: reset.email, content: passwordResetMail({ language: reset.language, email: reset.email, link }) };
    },
  };
}
