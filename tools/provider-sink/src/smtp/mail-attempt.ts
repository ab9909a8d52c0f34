import { isUtf8 } from "node:buffer";
import PostalMime, { type Email } from "postal-mime";
import type { SMTPServerSession } from "smtp-server";
import type { ReceivedAttempt } from "../store/message.ts";

/** Envelope of an email, from the SMTP dialogue. */
export type Envelope = {
  mail_from: string;
  rcpt_to: string[];
  /** The protocol as a Received header would name it: ESMTP, ESMTPS, ESMTPSA and so on. */
  protocol: string;
  tls: boolean;
  auth: { method: string; username: string; password: string } | null;
};

export function readEnvelope(session: SMTPServerSession): Envelope {
  const { mailFrom, rcptTo } = session.envelope;
  return {
    mail_from: mailFrom ? mailFrom.address : "",
    rcpt_to: rcptTo.map(({ address }) => address),
    protocol: session.transmissionType,
    tls: session.secure,
    auth: session.user ?? null,
  };
}

/** An email, which is read once and recorded once for each recipient. It is parsed when it is first looked at, once for all recipients. */
export class ReceivedMail {
  readonly source: Buffer;
  readonly #envelope: Envelope;
  #parsed: Promise<Email> | null = null;

  constructor(source: Buffer, envelope: Envelope) {
    this.source = source;
    this.#envelope = envelope;
  }

  attemptFor(to: string, answeredStatus: number | null): ReceivedAttempt {
    return {
      channel: "email",
      to,
      answeredStatus,
      raw: this.source,
      // latin1 preserves every byte of a source that is not UTF-8.
      readRaw: () => this.source.toString(isUtf8(this.source) ? "utf8" : "latin1"),
      readHeaders: async () => headersOf(await this.#parse()),
      readParsed: async () => ({ ...(await this.#parse()), envelope: this.#envelope }),
    };
  }

  #parse(): Promise<Email> {
    this.#parsed ??= PostalMime.parse(this.source, { attachmentEncoding: "base64" });
    return this.#parsed;
  }
}

/** Creates the attempt of a recipient that was rejected before any content was sent. */
export function refusedRecipient(to: string, answeredStatus: number | null, envelope: Envelope): ReceivedAttempt {
  return {
    channel: "email",
    to,
    answeredStatus,
    raw: Buffer.alloc(0),
    readRaw: () => "",
    readHeaders: () => ({}),
    readParsed: () => ({ envelope }),
  };
}

/** Returns header fields by lower-case name. If a field occurs several times, its values are on separate lines, in order. */
function headersOf(email: Email): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { key, value } of email.headers) {
    headers[key] = key in headers ? `${headers[key]}\n${value}` : value;
  }
  return headers;
}
