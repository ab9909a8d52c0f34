/** The channels that a message can be sent through. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;

/** The filter of a list by channel. */
export const channelFilter = {
  field: "channel",
  label: "Channel",
  explanation: "email, fcm, apns, line or web_push",
  choices: channels,
} as const;
