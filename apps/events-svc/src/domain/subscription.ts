import type { StatusReason } from "./status-reason.ts";

/** Order of delivery: independently, or the events of a stream one after the other in the order of the log. */
export type SubscriptionOrder = "none" | "stream";

/** Ended permanently by a 410 of its target. */
export type SubscriptionStatus = "active" | "paused" | "ended";

/** A subscription: Domain Events of some types of a Project Client are delivered to one of its scheduled operations. */
export type Subscription = {
  readonly id: string;
  readonly project_client_id: string;
  readonly operation_id: string;
  /** Patterns of types. */
  readonly types: readonly string[];
  /** CEL expression on the content of events; absent: every event of the types. */
  readonly filter?: string;
  readonly order: SubscriptionOrder;
  readonly status: SubscriptionStatus;
  /** Reason why it has ended. Missing if it has not ended, or if it ended before reasons were stored. */
  readonly status_reason?: StatusReason;
  /** Every matching event up to this position of the log has its run, unless its stream is held. */
  readonly recorded_to: number;
  /** The same position, including held streams. */
  readonly complete_to: number;
  readonly created_at: Date;
};

/** Progress of a subscription. */
export type SubscriptionProgress = {
  /** For every matching event up to this position, the call got a 2xx response or failed after its last attempt. */
  readonly position: number;
  /** Positions of the log behind it. */
  readonly lag: number;
  /** Events whose last call failed: those that will be retried, and those that were given up. */
  readonly failures: number;
};
