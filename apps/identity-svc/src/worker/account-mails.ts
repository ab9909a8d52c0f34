import { accountMail } from "../mail/account-mail.ts";
import { recoverCode } from "../operations/derived-tokens.ts";
import type { AccountMailDocument } from "../store/account-mails.ts";
import type { MailDelivery, MailWork } from "./deliver-mails.ts";

/** Emails about changes of accounts. Their codes are derived here and exist nowhere else except in the email. */
export function accountMails(delivery: MailDelivery): MailWork<AccountMailDocument> {
  const { stores, keyring, clock, platformName: sender } = delivery;
  return {
    name: "deliver-account-mails",
    queue: stores.accountMails.openMails(clock),
    describe: ({ _id, mail }) => ({ id: _id, attempts: mail.attempts, resourceId: _id }),
    prepare: async ({ _id, kind, language, email, code_hmac, expires_at }) => {
      if (expires_at <= clock()) return "outlived";
      const code = code_hmac === null ? null : recoverCode(keyring, _id, code_hmac);
      return { to: email, content: accountMail({ sender, kind, language, email, code }) };
    },
  };
}
