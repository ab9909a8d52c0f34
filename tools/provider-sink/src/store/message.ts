/** The channels that the sink emulates; also the values of `?channel=` and of a fault's `channel`. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;
export type Channel = (typeof channels)[number];

/**
 * One attempt from a listener to the store. The text and the parsed form are functions, because most messages of a benchmark are never read, and parsing an
 * email costs more than receiving it.
 */
export type ReceivedAttempt = {
  channel: Channel;
  /** Mail address, registration token, device token, LINE user id, or Web Push endpoint URL. */
  to: string;
  /** The status that the sink returns; null if it closed the connection without one. */
  answeredStatus: number | null;
  readHeaders: () => Record<string, string> | Promise<Record<string, string>>;
  /** Received bytes: RFC 5322 source of an email, body of a push. */
  raw: Buffer;
  readRaw: () => string;
  readParsed: () => unknown;
};

/** An item of `GET /messages`, one per attempt that reached the sink. */
export type SinkMessage = {
  id: string;
  channel: Channel;
  to: string;
  /** Time of arrival as RFC 3339 in UTC with milliseconds. */
  received_at: string;
  answered_status: number | null;
  headers: Record<string, string>;
  raw: string;
  // biome-ignore lint/suspicious/noExplicitAny: its form depends on the channel, and tests read its fields.
  parsed: any;
};

/** Returns the key for comparing recipients. Email addresses are case-insensitive, as in real mailboxes; tokens are compared exactly. */
export function recipientKey(to: string): string {
  return to.includes("@") ? to.trim().toLowerCase() : to;
}
