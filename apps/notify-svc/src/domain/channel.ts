/** The channels a notification can leave by. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;
export type Channel = (typeof channels)[number];

/** The channels whose endpoints callers register; LINE endpoints are linked by operators. */
export const registrableChannels = ["fcm", "apns", "web_push"] as const;

/** Is it the name of a channel? */
export function isChannel(text: string): text is Channel {
  return (channels as readonly string[]).includes(text);
}
