import type { FaultKind, ProviderAnswer } from "./provider-answer.ts";

/** Creates a reply of an SMTP server: code and text with its enhanced status code (RFC 5321, RFC 3463). */
export function smtpReply(status: number, text: string): ProviderAnswer {
  return { status, headers: {}, body: text };
}

export const smtpFaultKinds = {
  service_unavailable: {
    answer: () => smtpReply(421, "4.3.2 Service not available, closing transmission channel"),
  },
  mailbox_busy: {
    answer: () => smtpReply(450, "4.2.0 Requested mail action not taken: mailbox unavailable, try later"),
  },
  local_error: { answer: () => smtpReply(451, "4.3.0 Requested action aborted: local error in processing") },
  insufficient_storage: {
    answer: () => smtpReply(452, "4.3.1 Requested action not taken: insufficient system storage"),
  },
  /** The meaning of a plain 550: the recipient is rejected, although the address may exist. */
  recipient_refused: { answer: () => smtpReply(550, "5.7.1 Recipient refused by policy") },
  mailbox_unavailable: { answer: () => smtpReply(550, "5.1.1 Recipient address rejected: User unknown") },
  mailbox_full: { answer: () => smtpReply(552, "5.2.2 Mailbox full") },
  mailbox_name_not_allowed: {
    answer: () => smtpReply(553, "5.1.3 Requested action not taken: mailbox name not allowed"),
  },
  rejected_content: { stage: "data", answer: () => smtpReply(554, "5.7.1 Message rejected: content not accepted") },
  authentication_failed: {
    stage: "auth",
    answer: () => smtpReply(535, "5.7.8 Authentication credentials invalid"),
  },
  tls_failure: { stage: "tls", answer: () => smtpReply(454, "4.7.0 TLS not available due to temporary reason") },
} satisfies Record<string, FaultKind>;

export const smtpAnswerForStatus = (status: number): ProviderAnswer =>
  status < 500 ? smtpReply(status, "4.0.0 Temporary failure") : smtpReply(status, "5.0.0 Permanent failure");
