/** A report of a mail server, or of a mailbox provider on behalf of a person, about an email that was sent. */
export type MailReport =
  | {
      readonly kind: "bounced";
      /** Enhanced status code (RFC 3463), such as 5.1.1. */
      readonly status: string;
      /**
       * True if no later attempt will succeed, for any reason. Otherwise the server still retries, or it gave up after
       * temporary failures.
       */
      readonly isPermanent: boolean;
      /** True if the address itself has failed, rather than this email or its sender. */
      readonly isAboutAddress: boolean;
    }
  | { readonly kind: "complained" };

/** The parts of an email that can contain a report. */
export type ReportParts = {
  readonly parts: readonly { readonly contentType: string; readonly text: string }[];
  /** The text that a person would read. */
  readonly text: string;
};

/**
 * Permanent failures that concern the sender or the message: another email may be delivered, or the same one once the
 * sender's problem is solved.
 */
const notAboutAddress =
  // These are the sender's address (5.1.7, 5.1.8), the length (5.2.3, 5.3.4), the content (5.6.x), and the
  // authentication of the sender (RFC 7372: 5.7.20 to 5.7.29).
  /^5\.(?:1\.[78]|2\.3|3\.4|6\.\d+|7\.2\d)$/;

const statusTypes = ["message/delivery-status", "message/global-delivery-status"];

/**
 * Reads a delivery report (RFC 3464, RFC 6533, and the text form of qmail) or a complaint (RFC 5965). Null for any
 * other email.
 */
export function readMailReport({ parts, text }: ReportParts): MailReport | null {
  const complaint = parts.find(({ contentType }) => contentType === "message/feedback-report");
  if (complaint !== undefined) return readComplaint(complaint.text);
  const status = parts.find(({ contentType }) => statusTypes.includes(contentType));
  return status === undefined ? readQmailText(text) : readDeliveryStatus(status.text);
}

/**
 * Reads a complaint (RFC 5965 §3). The types abuse and fraud are complaints of a person; `not-spam` and other types
 * have no effect here.
 */
function readComplaint(text: string): MailReport | null {
  const [fields = new Map<string, string>()] = fieldGroups(text);
  return ["abuse", "fraud", "opt-out"].includes(fields.get("feedback-type")?.toLowerCase() ?? "")
    ? { kind: "complained" }
    : null;
}

/**
 * Reads a delivery status (RFC 3464 §2.3). Each group after the first is about a recipient, and the platform's emails
 * have exactly one.
 */
function readDeliveryStatus(text: string): MailReport | null {
  for (const fields of fieldGroups(text)) {
    const action = /^[a-z]+/i.exec(fields.get("action") ?? "")?.[0]?.toLowerCase();
    if (action !== "failed" && action !== "delayed") continue;
    return bounced(statusOf(fields) ?? (action === "failed" ? "5.0.0" : "4.0.0"), action === "failed");
  }
  return null;
}

/** Returns the status. If the server reported none, or a successful one, returns the status in its transcript. */
function statusOf(fields: ReadonlyMap<string, string>): string | null {
  const stated = /^[45]\.\d{1,3}\.\d{1,3}/.exec(fields.get("status") ?? "")?.[0];
  if (stated !== undefined) return stated;
  const transcript = fields.get("diagnostic-code") ?? "";
  const enhanced = /\b([45]\.\d{1,3}\.\d{1,3})\b/.exec(transcript)?.[1];
  const [, replyClass] = /\b([45])\d\d\b/.exec(transcript) ?? [];
  return enhanced ?? (replyClass === undefined ? null : `${replyClass}.0.0`);
}

/**
 * Reads a report of qmail-send, which is only text (https://cr.yp.to/proto/qsbmf.txt). Every failure in it is final.
 */
function readQmailText(text: string): MailReport | null {
  if (!/^\s*Hi\. This is the /.test(text)) return null;
  return bounced(/\(?#([45]\.\d{1,3}\.\d{1,3})\)?/.exec(text)?.[1] ?? "5.0.0", true);
}

function bounced(status: string, isFinal: boolean): MailReport {
  const isPermanent = isFinal && status.startsWith("5.");
  return { kind: "bounced", status, isPermanent, isAboutAddress: isPermanent && !notAboutAddress.test(status) };
}

/**
 * Splits a text into groups of fields, which blank lines separate. Names are in lower case and values are unfolded
 * (RFC 822 §3.1). If a name occurs several times, the first one counts.
 */
function fieldGroups(text: string): Map<string, string>[] {
  return text
    .replaceAll("\r\n", "\n")
    .split(/\n[ \t]*\n/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.replace(/\n[ \t]+/g, " ").split("\n")) {
        const [, name, value] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
        if (name !== undefined && value !== undefined && !fields.has(name.toLowerCase()))
          fields.set(name.toLowerCase(), value.trim());
      }
      return fields;
    })
    .filter((fields) => fields.size > 0);
}
