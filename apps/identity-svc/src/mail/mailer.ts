import type { Mailbox } from "@platform/service-kit/mail/mailbox";
import { subjectHeader } from "@platform/service-kit/mail/subject-header";
import nodemailer from "nodemailer";
import type { MailContent } from "./mail-layout.ts";

/** Sends mail over SMTP. */
export type Mailer = {
  /**
   * Resolves when the server has accepted the mail.
   * @param messageId the same for every attempt of one mail, so that a repeat is recognized
   * @throws MailRefusedError for a permanent refusal; any other error may be retried
   */
  send(to: string, messageId: string, content: MailContent): Promise<void>;
  close(): void;
};

/** The server refused the mail for good (an SMTP reply of 500 or more). */
export class MailRefusedError extends Error {
  readonly smtpCode: number;
  constructor(smtpCode: number) {
    super(`mail refused with ${smtpCode}`);
    this.name = "MailRefusedError";
    this.smtpCode = smtpCode;
  }
}

const connectionsMax = 4;

/** Connects to the SMTP server when the first mail is sent. */
export function createMailer(settings: { smtpUrl: string; from: Mailbox }): Mailer {
  const url = new URL(settings.smtpUrl);
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  const isTlsOptional = url.searchParams.get("tls") === "optional";
  url.search = "";
  const transport = nodemailer.createTransport({
    url: url.href,
    // Beyond this machine mail is sent over TLS to a server with a valid certificate, unless the URL says `?tls=optional` for a relay without TLS.
    requireTLS: url.protocol === "smtp:" && !isLoopback && !isTlsOptional,
    tls: { rejectUnauthorized: !isLoopback },
    pool: true,
    maxConnections: connectionsMax,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 15_000,
    // A mail is made of strings only: nothing in it may make the mailer open a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (to, messageId, { subject, text, html }) => {
      try {
        await transport.sendMail({
          // Objects, so that nothing in a name or an address is parsed as a list of addresses.
          from: settings.from,
          to: { name: "", address: to },
          text,
          html,
          messageId: `<${messageId}>`,
          headers: { ...subjectHeader(subject), "Auto-Submitted": "auto-generated" },
        });
      } catch (error) {
        const { responseCode, code } = error as { responseCode?: number; code?: string };
        // A refusal of this address or text is permanent. Others, such as of our login, are for us to repair while the mail waits.
        const isAboutTheMail = code === "EENVELOPE" || code === "EMESSAGE";
        if (isAboutTheMail && responseCode !== undefined && responseCode >= 500)
          throw new MailRefusedError(responseCode);
        // The library's errors may quote the address and the dialogue, which must not reach a log.
        throw new Error(`mail not sent (${code ?? "unknown"})`);
      }
    },
    close: () => transport.close(),
  };
}
