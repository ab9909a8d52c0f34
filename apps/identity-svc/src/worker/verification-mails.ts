import { mailContents } from "../domain/identity-migration-transaction.ts";
import { languageOf } from "../domain/page-language.ts";
import type { MailContent } from "../mail/mail-layout.ts";
import { verificationMail } from "../mail/verification-mail.ts";
import { recoverCode, recoverToken } from "../operations/derived-tokens.ts";
import type { TransactionDocument, VerificationDocument } from "../store/transaction-schema.ts";
import type { MailDelivery, MailWork } from "./deliver-mails.ts";

/** Sends verification emails. Those of a disabled Project Client wait until their code or link expires. */
export function verificationMails(delivery: MailDelivery): MailWork<TransactionDocument> {
  const { stores, clock } = delivery;
  return {
    name: "deliver-verification-mails",
    queue: stores.verifications.openMails(clock),
    describe: ({ _id, verification }) => ({
      id: verification?.id ?? "",
      attempts: verification?.mail.attempts ?? 0,
      resourceId: _id,
    }),
    prepare: async (transaction) => {
      const { verification } = transaction;
      if (verification === null || verification.link_expires_at <= clock() || transaction.expires_at <= clock())
        return "outlived";
      const client = await stores.clients.find(transaction.project_client_id);
      if (client === null || client.disabled_at !== null) return "waiting";
      const project = (await stores.brands.find(client.id))?.name ?? client.name;
      return { to: verification.email, content: compose(delivery, project, transaction, verification) };
    },
  };
}

/** Composes the email. The link and the code are derived here and exist nowhere else except in the email. */
function compose(
  { keyring, publicBaseUrl, platformName }: MailDelivery,
  project: string,
  transaction: TransactionDocument,
  verification: VerificationDocument,
): MailContent {
  const { id, kind, language, code_hmac, link_token_sha256 } = verification;
  return verificationMail({
    sender: platformName,
    language: language ?? languageOf(transaction.locale),
    project,
    email: verification.email,
    code: code_hmac === null ? null : recoverCode(keyring, id, code_hmac),
    link: mailContents(kind).link
      ? verificationLink(
          publicBaseUrl,
          transaction._id,
          recoverToken(keyring, "email-verification.link-token", id, link_token_sha256),
        )
      : null,
  });
}

/** The emailed link: the only URL of the platform that carries a token. */
function verificationLink(publicBaseUrl: string, transactionId: string, linkToken: string): string {
  return `${publicBaseUrl}/api/v1/identity-migration-transactions/${transactionId}/verify-email/${linkToken}`;
}
