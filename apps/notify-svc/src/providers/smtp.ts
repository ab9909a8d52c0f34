import nodemailer from "nodemailer";
import type { Outcome } from "../domain/delivery.ts";
import type { EmailConfig } from "../domain/sender-profile.ts";
import { noAnswer } from "./http-answer.ts";
import { connectionsMax, type Sender, type SendRequest } from "./sender.ts";
import { type ComposedMail, createSmtpConnections } from "./smtp-connections.ts";

/** Headers that DKIM signs: those RFC 6376 §5.4.1 recommends, and both List-Unsubscribe headers, as RFC 8058 §4 demands. */
const signedHeaders =
  "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:" +
  "In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post";

type SmtpOptions = {
  /** For profiles that name no server. */
  readonly defaultUrl: string | null;
  readonly answerMs: number;
};

type Profile = {
  readonly compose: (config: EmailConfig, request: SendRequest) => Promise<ComposedMail>;
  readonly connections: ReturnType<typeof createSmtpConnections>;
};

/** SMTP submission (RFC 6409) over kept connections with TLS, authentication and DKIM. */
export function createSmtpSender(options: SmtpOptions): Sender<EmailConfig> {
  const profiles = new Map<string, Profile>();
  const profileOf = (profileId: string, config: EmailConfig): Profile => {
    const known = profiles.get(profileId);
    if (known !== undefined) return known;
    const url = config.smtp_url ?? options.defaultUrl;
    if (url === null) throw new Error("the profile names no SMTP server and the process has none");
    const made = { compose: createComposer(config), connections: openConnections(new URL(url), options.answerMs) };
    profiles.set(profileId, made);
    return made;
  };
  return {
    send: async (profileId, config, request, signal) => {
      if (signal.aborted) return noAnswer(signal.reason);
      try {
        const { compose, connections } = profileOf(profileId, config);
        await connections.send(await compose(config, request), request.mayBegin, signal);
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

function openConnections(url: URL, answerMs: number) {
  const isLoopback = /^(?:127\.|\[::1\]$|localhost$)/.test(url.hostname);
  const isImplicitTls = url.protocol === "smtps:";
  const user = decodeURIComponent(url.username);
  return createSmtpConnections(
    {
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port === "" ? (isImplicitTls ? 465 : 587) : Number(url.port),
      secure: isImplicitTls,
      // Mail and password are sent over TLS, unless the URL says `?tls=optional` for a relay without TLS.
      requireTLS: !isImplicitTls && !isLoopback && url.searchParams.get("tls") !== "optional",
      // Loopback needs no TLS, and no authority certifies 127.0.0.1.
      tls: { rejectUnauthorized: !isLoopback },
      connectionTimeout: Math.min(10_000, answerMs),
      greetingTimeout: Math.min(10_000, answerMs),
      socketTimeout: answerMs,
    },
    user === "" ? null : { user, pass: decodeURIComponent(url.password) },
    connectionsMax.email,
  );
}

/** Writes mails out, signed where the profile has a key. */
function createComposer({ dkim }: EmailConfig): Profile["compose"] {
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
  return async (config, request) => {
    const { message, envelope } = await composer.sendMail(mailOf(config, request));
    return { bytes: message as Buffer, envelope: { from: envelope.from || "", to: envelope.to } };
  };
}

function mailOf(config: EmailConfig, { address, message, deliveryId, acceptedAt }: SendRequest) {
  if (message.kind === "verification") throw new Error("mail endpoints are verified by the project's own mail");
  const { content, unsubscribeUrl } = message;
  const domain = /@([^@>\s]+)>?$/.exec(config.from)?.[1] ?? "localhost";
  return {
    from: config.from,
    ...(config.reply_to === undefined ? {} : { replyTo: config.reply_to }),
    // An address object, so that nothing in it is parsed as a list of recipients.
    to: { name: "", address },
    subject: content.subject,
    text: content.text,
    ...(content.html === null ? {} : { html: content.html }),
    // The same for every try, so that receivers recognise a repeat.
    messageId: `<${deliveryId}@${domain}>`,
    date: acceptedAt,
    headers: {
      // RFC 3834: no vacation notice answers it.
      "Auto-Submitted": "auto-generated",
      ...(unsubscribeUrl === null
        ? {}
        : {
            "List-Unsubscribe": { prepared: true, value: `<${unsubscribeUrl}>` },
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
    },
  };
}

/** Meaning of a failed submission: 4yz is temporary, 5yz permanent (RFC 5321 §4.2.1); without a reply it may have arrived. */
export function smtpOutcome(error: unknown): Outcome {
  const { responseCode, code } = error as { responseCode?: unknown; code?: unknown };
  if (typeof responseCode !== "number" || responseCode < 400) return noAnswer(error);
  const errorCode = `smtp_${responseCode}`;
  if (responseCode >= 500) return { kind: "rejected", errorCode: code === "EAUTH" ? "smtp_auth_refused" : errorCode };
  if (code === "ETLS") return noAnswer(error);
  // 421 closes the whole connection; 450 to 452 are said of one mailbox, as by greylisting.
  const isProviderWide = responseCode === 421 || code === "EAUTH";
  const providerStatus = isProviderWide ? "unavailable" : "throttled";
  return { kind: "retry", providerStatus, errorCode, retryAfterMs: null, isProviderWide };
}
