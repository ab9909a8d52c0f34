import { type Mailbox, needsSmtpUtf8, senderFields, subjectHeader } from "@platform/kit/web/mail";
import { connectSmtp, smtpUtf8Missing } from "@platform/kit/web/smtp";
import nodemailer from "nodemailer";
import type { MailContent } from "./mail-layout.ts";

/** Sends emails over SMTP. */
export type Mailer = {
  /**
   * Resolves when the server has accepted the email.
   * @param messageId the same for every attempt of one email, so that a repeat is recognized
   * @throws MailRefusedError for a permanent rejection; any other error may be retried
   */
  send(to: string, messageId: string, content: MailContent): Promise<void>;
  close(): void;
};

/**
 * The mail server has permanently rejected the email, so it is not sent again. The message gives the reason without
 * the address or the SMTP dialogue.
 */
export class MailRefusedError extends Error {
  override readonly name = "MailRefusedError";
}

/** Four connections are as many as there are emails sent concurrently. */
const limits = { connectMs: 5_000, answerMs: 15_000, connectionsMax: 4 };

/** Creates a mailer, which connects to the SMTP server when the first email is sent. */
export function createMailer(settings: { smtpUrl: string; from: Mailbox }): Mailer {
  const { from } = settings;
  const connections = connectSmtp(new URL(settings.smtpUrl), limits);
  const composer = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    // An email consists of strings only, so that nothing in it makes the mailer open a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const closed = new AbortController();
  return {
    send: async (to, messageId, { subject, text, html }) => {
      const sender = senderFields(from, null);
      try {
        const { message, envelope } = await composer.sendMail({
          ...sender,
          // An object, so that nothing in an address is parsed as a list of addresses.
          to: { name: "", address: to },
          text,
          html,
          messageId: `<${messageId}>`,
          headers: { ...sender.headers, ...subjectHeader(subject), "Auto-Submitted": "auto-generated" },
        });
        const mail = {
          bytes: message as Buffer,
          envelope: { from: envelope.from || from.address, to: envelope.to },
          needsSmtpUtf8: [from.address, to].some(needsSmtpUtf8),
        };
        await connections.send(mail, () => undefined, closed.signal);
      } catch (error) {
        const reason = refusalOf(error);
        if (reason !== null) throw new MailRefusedError(`mail refused: ${reason}`);
        // The library's errors may quote the address and the dialogue, which must not reach a log.
        throw new Error(`mail not sent (${(error as { code?: string }).code ?? "unknown"})`);
      }
    },
    close: () => {
      closed.abort(new Error("the mailer is closed"));
      connections.close();
    },
  };
}

/**
 * The reason why this address or text can never be delivered, or null. Other rejections, such as a failed login, can
 * be fixed by operators while the email waits.
 */
function refusalOf(error: unknown): string | null {
  const { responseCode, code, command } = error as { responseCode?: number; code?: string; command?: string };
  if (code === smtpUtf8Missing) return "the address needs SMTPUTF8, which the server does not offer";
  if (code === "EENVELOPE" && command === "API") return "the address cannot be sent over SMTP";
  const isAboutTheMail = code === "EENVELOPE" || code === "EMESSAGE";
  return isAboutTheMail && responseCode !== undefined && responseCode >= 500 ? `SMTP ${responseCode}` : null;
}
