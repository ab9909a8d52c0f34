/** Reason why the report of an impression was rejected. `repeated`: it was recorded before, and the caller is notified. */
export type RefusalReason =
  | "below_threshold"
  | "impossible_duration"
  | "token_expired"
  | "token_invalid"
  | "campaign_ended"
  | "client_disabled"
  | "repeated";

/** Refusals of a campaign's impressions for one reason on one UTC day. */
export type RefusalCount = { readonly day: Date; readonly reason: string; readonly count: number };
