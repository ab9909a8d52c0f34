/** How notifications are delivered. */
export const channels = ["email", "fcm", "apns", "line", "web_push"];
