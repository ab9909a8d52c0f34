import { indexOutbox, mixed, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { type FailingFields, failingSchema, indexFailing } from "@platform/operator-plane/platform-events";
import { type Connection, type Model, Schema } from "mongoose";
import type { StatusReason } from "../domain/status-reason.ts";
import type { Subscription, SubscriptionOrder, SubscriptionStatus } from "../domain/subscription.ts";

/** A replay. The events after `recorded_to`, up to and including `to`, are delivered again. */
export type ReplayDocument = { readonly number: number; readonly recorded_to: number; readonly to: number };

/**
 * A lane with many unfinished runs. Its further events stay in the log, so that they take no capacity from other
 * lanes, and are recorded from a separate position. Once that position reaches the position of the others, the lane
 * is recorded together with them again.
 */
export type HeldLane = {
  readonly lane: string;
  readonly replay: number;
  readonly stream_id: string;
  /** Every matching event of the lane up to this position has a run. */
  readonly recorded_to: number;
  /** Last position of its replay; absent if it does not belong to a replay. */
  readonly to?: number;
};

export type SubscriptionDocument = OutboxFields &
  FailingFields & {
    readonly _id: string;
    readonly project_client_id: string;
    readonly operation_id: string;
    readonly types: readonly string[];
    /** CEL expression that an event must also match; missing if there is none. */
    readonly filter?: string;
    readonly order: SubscriptionOrder;
    readonly status: SubscriptionStatus;
    readonly status_reason?: StatusReason;
    /** Project Client of the operation. It never changes. */
    readonly max_attempts: number;
    /**
     * Every matching event up to this position has a run, unless its lane is held. Runs are inserted before the
     * position advances.
     */
    readonly recorded_to: number;
    readonly held?: readonly HeldLane[];
    /** Number of writes by recorders. Each write requires the number that it has read. */
    readonly revision?: number;
    readonly replays: readonly ReplayDocument[];
    /** Number of replays so far, which is also the number of the last one. */
    readonly replay_count: number;
    /**
     * The worker that records runs until `leased_until`. The lease only avoids duplicate work; the unique ids of runs
     * ensure correctness.
     */
    readonly owner?: string;
    readonly leased_until?: Date;
    readonly created_at: Date;
  };

const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;
const count = { type: Number, required: true } as const;

const schema = new Schema<SubscriptionDocument>(
  {
    _id: text,
    project_client_id: text,
    operation_id: text,
    types: { type: [String], required: true },
    filter: String,
    order: text,
    status: text,
    status_reason: { type: mixed },
    max_attempts: count,
    recorded_to: count,
    held: { type: [mixed], default: undefined },
    revision: Number,
    replays: { type: [mixed], required: true },
    replay_count: count,
    owner: String,
    leased_until: Date,
    created_at: date,
    ...outboxSchema,
    ...failingSchema,
  },
  { collection: "event_subscriptions", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ operation_id: 1 });
schema.index({ status: 1, _id: 1 });
indexFailing(schema);
indexOutbox(schema);

export type SubscriptionModel = Model<SubscriptionDocument>;

export function subscriptionModel(connection: Connection): SubscriptionModel {
  return connection.model<SubscriptionDocument>("EventSubscription", schema);
}

export function toSubscription(document: SubscriptionDocument): Subscription {
  const { _id, replays, replay_count, max_attempts, owner, leased_until, held = [], revision, ...rest } = document;
  const {
    platform_events: _events,
    platform_events_due_at: _eventsDue,
    failing_since: _since,
    failing_told: _told,
    ...fields
  } = rest;
  const ofHeld = held.filter(({ replay }) => replay === 0).map(({ recorded_to }) => recorded_to);
  return { id: _id, ...fields, complete_to: Math.min(fields.recorded_to, ...ofHeld) };
}
