import type { StatusReason } from "./status-reason.ts";

/**
 * Order of delivery: `none` delivers events independently; `stream` delivers the events of a stream one after the
 * other, in the order of the log.
 */
export type SubscriptionOrder = "none" | "stream";

/** `ended` is permanent: the target responded with 410. */
export type SubscriptionStatus = "active" | "paused" | "ended";

/**
 * A subscription delivers Domain Events of some types of a Project Client to one of the client's scheduled
 * operations.
 */
export type Subscription = {
  readonly id: string;
  readonly project_client_id: string;
  readonly operation_id: string;
  /** Patterns of the event types that are delivered. */
  readonly types: readonly string[];
  /** CEL expression on the content of events. If it is absent, every event of the types is delivered. */
  readonly filter?: string;
  readonly order: SubscriptionOrder;
  readonly status: SubscriptionStatus;
  /** Reason why it has ended. Missing if it has not ended, or if it ended before reasons were stored. */
  readonly status_reason?: StatusReason;
  /** Every matching event up to this position of the log has a run, unless its stream is held. */
  readonly recorded_to: number;
  /** Every matching event up to this position of the log has a run, even if its stream is held. */
  readonly complete_to: number;
  readonly created_at: Date;
};

/** Progress of a subscription. */
export type SubscriptionProgress = {
  /** For every matching event up to this position, the call got a 2xx response or failed after its last attempt. */
  readonly position: number;
  /** Number of positions in the log after `position`. */
  readonly lag: number;
  /** Number of events whose last call failed, including those that will be retried and those that were given up. */
  readonly failures: number;
};
