import { passwordResetMail } from "../mail/password-reset-mail.ts";
import { recoverToken } from "../operations/derived-tokens.ts";
import { type PasswordResetDocument, resetFromDocument } from "../store/password-resets.ts";
import type { MailDelivery, MailWork } from "./deliver-mails.ts";

/** Emails with the link for a forgotten password. */
export function passwordResetMails(delivery: MailDelivery): MailWork<PasswordResetDocument> {
  const { stores, keyring, publicBaseUrl, clock, platformName: sender } = delivery;
  return {
    name: "deliver-password-reset-mails",
    queue: stores.passwordResets.openMails(clock),
    describe: ({ _id, mail }) => ({ id: _id, attempts: mail.attempts, resourceId: _id }),
    prepare: async (document) => {
      const reset = resetFromDocument(document);
      if (reset === null || reset.expires_at <= clock()) return "outlived";
      const token = recoverToken(keyring, "password-reset.link-token", reset.id, document.token_sha256);
      const link = `${publicBaseUrl}/api/v1/identity-migration/reset-password/${token}`;
      return {
        to: reset.email,
        content: passwordResetMail({ sender, language: reset.language, email: reset.email, link }),
      };
    },
  };
}
