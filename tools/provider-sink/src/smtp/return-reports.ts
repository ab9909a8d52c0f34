import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import SMTPConnection from "nodemailer/lib/smtp-connection";

/** The kind of report that a mail server sends for an email that it has accepted: a delivery report for `bounce-…`, a complaint for `complaint-…`. */
type ReportKind = "bounce" | "complaint";

/** The parts of an accepted email that reports need. */
type TakenMail = { readonly from: string; readonly to: readonly string[]; readonly source: Buffer };

/**
 * Waits between attempts, in milliseconds. The first attempts may be refused, because the sender has not recorded the email yet. Real mail servers wait for
 * minutes.
 */
const retryDelaysMs = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800];
const answerMs = 10_000;

/** Sends reports to the return path of emails, through one mail server. */
export type ReturnReports = { readonly report: (mail: TakenMail) => void; readonly close: () => void };

/**
 * Returns reports as other mail servers do.
 * @param port port of 127.0.0.1 to which they are delivered; null returns none
 */
export function createReturnReports(port: number | null): ReturnReports {
  const closing = new AbortController();
  return {
    report: ({ from, to, source }) => {
      if (port === null || from === "") return;
      for (const recipient of to) {
        const [, kind] = /^(bounce|complaint)-/i.exec(recipient) ?? [];
        if (kind === undefined) continue;
        const report = reportOf(kind.toLowerCase() as ReportKind, from, recipient, headersOf(source));
        // A mail server that is unreachable for half a minute gets no report.
        deliver(port, from, report, closing.signal).catch(() => undefined);
      }
    },
    close: () => closing.abort(),
  };
}

async function deliver(port: number, to: string, report: string, signal: AbortSignal): Promise<void> {
  for (const waitMs of retryDelaysMs) {
    const replyCode = await send(port, to, report).catch((error: { responseCode?: number }) => error.responseCode ?? 0);
    // 5yz is final (RFC 5321 §4.2.1).
    if (replyCode >= 500 || replyCode === 250) return;
    await delay(waitMs, undefined, { signal });
  }
}

/** Sends one report. @returns 250; throws the server's rejection or the failure of the connection */
function send(port: number, to: string, report: string): Promise<number> {
  const connection = new SMTPConnection({
    host: "127.0.0.1",
    port,
    ignoreTLS: true,
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
  });
  return new Promise((resolve, reject) => {
    // This may also happen after the reply, because the server may end the connection first.
    connection.on("error", reject);
    connection.connect(() => {
      // Reports have no return path of their own (RFC 3464 §2).
      connection.send({ from: "", to: [to] }, report, (error) => {
        connection.quit();
        if (error) reject(error);
        else resolve(250);
      });
    });
  });
}

/** Returns the header section of an email, which most servers include in a report. */
function headersOf(source: Buffer): string {
  const end = source.indexOf("\r\n\r\n");
  return source.toString("utf8", 0, end < 0 ? source.length : Math.min(end, 64 * 1024));
}

/** Creates a delivery report (RFC 3464) or a complaint (RFC 5965) as a multipart/report (RFC 3462). */
function reportOf(kind: ReportKind, from: string, recipient: string, headers: string): string {
  const boundary = randomBytes(12).toString("hex");
  const isBounce = kind === "bounce";
  const fields = isBounce
    ? [
        "Reporting-MTA: dns; provider-sink",
        "",
        `Final-Recipient: rfc822; ${recipient}`,
        "Action: failed",
        "Status: 5.1.1",
        "Diagnostic-Code: smtp; 550 5.1.1 User unknown",
      ]
    : [
        "Feedback-Type: abuse",
        "User-Agent: provider-sink/1.0",
        "Version: 1",
        `Original-Mail-From: <${from}>`,
        `Original-Rcpt-To: ${recipient}`,
      ];
  const type = isBounce ? "delivery-status" : "feedback-report";
  return [
    "From: Mail Delivery System <mailer-daemon@provider-sink.example>",
    `To: <${from}>`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${boundary}@provider-sink.example>`,
    `Subject: ${isBounce ? "Undelivered Mail Returned to Sender" : "Complaint about a mail"}`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${type}; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    isBounce ? `<${recipient}>: 550 5.1.1 User unknown` : "Its recipient reported this mail as spam.",
    "",
    `--${boundary}`,
    `Content-Type: message/${type}`,
    "",
    ...fields,
    "",
    `--${boundary}`,
    "Content-Type: text/rfc822-headers",
    "",
    headers,
    "",
    `--${boundary}--`,
    "",
  ].join("\r\n");
}
