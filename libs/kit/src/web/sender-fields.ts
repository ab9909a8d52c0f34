import { encodedWords, looksEncoded } from "./encoded-words.ts";
import { type Mailbox, needsSmtpUtf8 } from "./mailbox.ts";

/** Sender fields of an email for nodemailer. */
type SenderFields = {
  readonly from?: Mailbox;
  readonly replyTo?: Mailbox;
  /** Headers that replace `from` or `replyTo`. Without `from`, the envelope must contain the sender. */
  readonly headers: Readonly<Record<string, string>>;
  readonly normalizeHeaderKey: (key: string) => string;
};

/**
 * Prefix of the headers whose values are written by this module. nodemailer would quote names in every header that it
 * recognizes as one with addresses.
 */
const prefix = "X-Written-";

/**
 * Returns the sender of an email as address objects, so that no part of a name or an address is parsed as a list of
 * addresses. A display name that looks like an encoded word is itself encoded, so that it arrives literally; the
 * library would write it as a quoted string, which some mail programs decode (spoofing). If the address is not ASCII,
 * the name stays a quoted string, because such an address and an encoded word cannot share a header.
 */
export function senderFields(from: Mailbox, replyTo: Mailbox | null): SenderFields {
  const isWritten = (mailbox: Mailbox): boolean => looksEncoded(mailbox.name) && !needsSmtpUtf8(mailbox.address);
  const written = ({ name, address }: Mailbox): string => `${encodedWords(name)} <${address}>`;
  return {
    ...(isWritten(from) ? {} : { from }),
    ...(replyTo === null || isWritten(replyTo) ? {} : { replyTo }),
    headers: {
      ...(isWritten(from) ? { [`${prefix}From`]: written(from) } : {}),
      ...(replyTo !== null && isWritten(replyTo) ? { [`${prefix}Reply-To`]: written(replyTo) } : {}),
    },
    normalizeHeaderKey: (key) => (key.startsWith(prefix) ? key.slice(prefix.length) : key),
  };
}
