import { defined } from "@platform/kit/process/fields";
import {
  domainInAscii,
  encodedWords,
  looksEncoded,
  type Mailbox,
  needsSmtpUtf8,
  readMailbox,
  senderFields,
  subjectHeader,
} from "@platform/kit/web/mail";
import { type ComposedMail, connectSmtp, type SmtpConnections, smtpUtf8Missing } from "@platform/kit/web/smtp";
import nodemailer from "nodemailer";
import type { Outcome } from "../domain/delivery.ts";
import type { EmailConfig } from "../domain/sender-profile.ts";
import { NotBegun } from "./ask-first.ts";
import { noAnswer } from "./http-answer.ts";
import { connectionsMax, type Sender, type SendRequest } from "./sender.ts";

/**
 * Headers that DKIM signs: those that RFC 6376 §5.4.1 recommends, and both List-Unsubscribe headers, as RFC 8058 §4
 * requires.
 */
const signedHeaders =
  "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:" +
  "In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post";

type SmtpOptions = {
  /** The server for profiles that do not name one, or null. */
  readonly defaultUrl: string | null;
  readonly answerMs: number;
  /** The return path of an email at the profile's domain for bounces; null if the email has none of its own. */
  readonly returnPathOf: (deliveryId: string, domain: string) => string | null;
};

type Profile = {
  readonly compose: (request: SendRequest) => Promise<ComposedMail>;
  readonly connections: SmtpConnections;
};

/** Sends through SMTP submission (RFC 6409), over persistent connections with TLS, authentication and DKIM. */
export function createSmtpSender(options: SmtpOptions): Sender<EmailConfig> {
  const profiles = new Map<string, Profile>();
  const { answerMs } = options;
  const limits = { connectMs: Math.min(10_000, answerMs), answerMs, connectionsMax: connectionsMax.email };
  const profileOf = (profileId: string, config: EmailConfig): Profile => {
    const known = profiles.get(profileId);
    if (known !== undefined) return known;
    const url = config.smtp_url ?? options.defaultUrl;
    if (url === null) throw new Error("the profile names no SMTP server and the process has none");
    const made = {
      compose: createComposer(config, options.returnPathOf),
      connections: connectSmtp(new URL(url), limits),
    };
    profiles.set(profileId, made);
    return made;
  };
  return {
    send: async (profileId, config, request, signal) => {
      if (signal.aborted) return noAnswer(signal.reason);
      try {
        const { compose, connections } = profileOf(profileId, config);
        const requireBegin = (): void => {
          if (!request.mayBegin()) throw new NotBegun("the lease is over");
        };
        await connections.send(await compose(request), requireBegin, signal);
        return { kind: "accepted" };
      } catch (error) {
        return smtpOutcome(error);
      }
    },
    forget: (profileId) => {
      profiles.get(profileId)?.connections.close();
      profiles.delete(profileId);
    },
    close: async () => {
      for (const { connections } of profiles.values()) connections.close();
      profiles.clear();
    },
  };
}

/** Thrown for a profile whose sender is not a single mailbox. Such a profile was stored before this was checked. */
class SenderUnusable extends Error {
  readonly code = "ESENDER";
}

function requireMailbox(text: string): Mailbox {
  const mailbox = readMailbox(text);
  if (mailbox === null) throw new SenderUnusable("the sender is not one address");
  return mailbox;
}

/**
 * Composes emails, and signs them if the profile has a key.
 * @throws SenderUnusable
 */
function createComposer(
  { from: sender, reply_to, dkim, bounce_domain }: EmailConfig,
  returnPathOf: SmtpOptions["returnPathOf"],
): Profile["compose"] {
  const from = requireMailbox(sender);
  const replyTo = reply_to === undefined ? null : requireMailbox(reply_to);
  const composer = nodemailer.createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(dkim === undefined
      ? {}
      : {
          dkim: {
            domainName: dkim.domain,
            keySelector: dkim.selector,
            privateKey: dkim.private_key,
            headerFieldNames: signedHeaders,
          },
        }),
  });
  return async (request) => {
    const { message, envelope } = await composer.sendMail(mailOf({ from, replyTo }, request));
    const addresses = [from.address, request.address, ...(replyTo === null ? [] : [replyTo.address])];
    const returnPath = bounce_domain === undefined ? null : returnPathOf(request.deliveryId, bounce_domain);
    return {
      bytes: message as Buffer,
      envelope: { from: returnPath ?? (envelope.from || from.address), to: envelope.to },
      needsSmtpUtf8: addresses.some(needsSmtpUtf8),
    };
  };
}

type Senders = { readonly from: Mailbox; readonly replyTo: Mailbox | null };

function mailOf({ from, replyTo }: Senders, { address, message, deliveryId, acceptedAt }: SendRequest) {
  if (message.kind === "verification") throw new Error("mail endpoints are verified by the project's own mail");
  const { content, unsubscribeUrl, attachments = [] } = message;
  // The identifier is in ASCII even if the address is not, because it is compared by octets (RFC 5322 §3.6.4).
  const domain = domainInAscii(from.address.slice(from.address.lastIndexOf("@") + 1));
  const ownReplyTo = content.mail?.replyTo ?? null;
  const sender = senderFields(from, ownReplyTo === null ? replyTo : requireMailbox(ownReplyTo));
  return {
    ...sender,
    // The address is passed in an object, so that nothing in it is parsed as a list of addresses.
    to: { name: "", address },
    text: content.text,
    ...defined({ html: content.html }),
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ name, contentType, content: bytes }) => ({
            filename: name,
            contentType,
            content: bytes,
          })),
        }),
    // The Message-ID is the same for every attempt, so that receivers recognize a repeat.
    messageId: `<${deliveryId}@${domain}>`,
    date: acceptedAt,
    headers: {
      ...sender.headers,
      ...subjectHeader(content.subject),
      // Suppresses automatic replies such as vacation notices (RFC 3834).
      "Auto-Submitted": "auto-generated",
      ...Object.fromEntries(Object.entries(content.mail?.headers ?? {}).map(([name, value]) => [name, written(value)])),
      ...(unsubscribeUrl === null
        ? {}
        : {
            // The URL parser encodes an internationalized host name in ASCII.
            "List-Unsubscribe": { prepared: true, value: `<${new URL(unsubscribeUrl).href}>` },
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
    },
  };
}

/**
 * Returns the value of a template's header for nodemailer. The value is printable ASCII without line breaks, which was
 * checked when the intent was accepted. A value that looks like an encoded word is encoded, so that it arrives literally.
 */
function written(value: string) {
  const isEncoded = looksEncoded(value);
  return { prepared: true, foldLines: isEncoded, value: isEncoded ? encodedWords(value) : value };
}

/**
 * Returns whether the reply reports that the mailbox or domain does not exist (RFC 3463 §3.2: 5.1.x). The codes 5.1.7
 * and 5.1.8 are excluded, because they are about the sender's address. A reply without an enhanced code is not
 * enough, because it may be about the sender's reputation.
 */
function isAddressDead(response: string): boolean {
  return /^5\d\d[ -]5\.1\.(?![78]\b)\d{1,3}\b/.test(response);
}

/**
 * Interprets a failed submission: 4yz is temporary, 5yz permanent (RFC 5321 §4.2.1); without a reply, the email may
 * have been delivered. A reply to RCPT TO or to the content concerns that recipient or email. An earlier one (greeting,
 * EHLO, login, MAIL FROM) concerns the server and everything that is sent through it.
 */
export function smtpOutcome(error: unknown): Outcome {
  const { responseCode, code, command, response } = error as {
    readonly [name in "responseCode" | "code" | "command" | "response"]?: unknown;
  };
  if (code === smtpUtf8Missing) return { kind: "rejected", errorCode: "smtp_utf8_unsupported" };
  if (code === "ESENDER") return { kind: "rejected", errorCode: "smtp_sender_invalid" };
  // The library rejects an address that would become a different one in the SMTP dialogue. Another attempt would have
  // the same result.
  if (code === "EENVELOPE" && command === "API") return { kind: "rejected", errorCode: "smtp_address_invalid" };
  // The server announced the maximum size of an email in its response to EHLO (RFC 1870).
  if (code === "EMESSAGE" && responseCode === undefined)
    return { kind: "rejected", errorCode: "smtp_message_too_large" };
  if (typeof responseCode !== "number" || responseCode < 400) return noAnswer(error);
  const errorCode = `smtp_${responseCode}`;
  // An email has only one recipient, so the server may report a problem with the recipient's address in its reply to
  // the content.
  const isToRecipient = code === "EMESSAGE" || (code === "EENVELOPE" && command === "RCPT TO");
  if (isToRecipient && isAddressDead(String(response))) return { kind: "address_dead", errorCode };
  const isOfServer = code !== "EENVELOPE" && code !== "EMESSAGE" && code !== "EAUTH";
  if (responseCode >= 500 && !isOfServer) {
    return { kind: "rejected", errorCode: code === "EAUTH" ? "smtp_auth_refused" : errorCode };
  }
  if (code === "ETLS") return noAnswer(error);
  // The reply 421 closes the whole connection, whichever command it responds to, so it is about the server.
  const isOfRecipient = command === "RCPT TO" || command === "DATA";
  const isProviderWide = responseCode === 421 || !isOfRecipient;
  const providerStatus = isProviderWide ? "unavailable" : "throttled";
  return { kind: "retry", providerStatus, errorCode, retryAfterMs: null, isProviderWide };
}
