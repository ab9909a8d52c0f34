/** The channels through which a notification can be sent. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;
export type Channel = (typeof channels)[number];

/** The channels for which callers register endpoints. Operators link LINE endpoints. */
export const registrableChannels = ["fcm", "apns", "web_push"] as const;

/** Returns whether the text is the name of a channel. */
export function isChannel(text: string): text is Channel {
  return (channels as readonly string[]).includes(text);
}
