/** The channels through which a message can be sent. */
export const channels = ["email", "fcm", "apns", "line", "web_push"] as const;

/** The filter by channel in a list. */
export const channelFilter = {
  field: "channel",
  label: "Channel",
  explanation: "email, fcm, apns, line or web_push",
  choices: channels,
} as const;
