/**
 * The reason why the report of an impression was rejected. `repeated` means that the impression was recorded before,
 * which the response states.
 */
export type RefusalReason =
  | "below_threshold"
  | "impossible_duration"
  | "token_expired"
  | "token_invalid"
  | "campaign_ended"
  | "client_disabled"
  | "repeated";

/** Number of rejected reports of a campaign for one reason on one UTC day. */
export type RefusalCount = { readonly day: Date; readonly reason: string; readonly count: number };
