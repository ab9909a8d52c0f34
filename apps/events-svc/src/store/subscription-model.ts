import { type Connection, type Model, Schema } from "mongoose";
import type { Subscription, SubscriptionOrder, SubscriptionStatus } from "../domain/subscription.ts";

/** A replay: events after `recorded_to`, up to and including `to`, are delivered again. */
export type ReplayDocument = { readonly number: number; readonly recorded_to: number; readonly to: number };

export type SubscriptionDocument = {
  readonly _id: string;
  readonly project_client_id: string;
  readonly operation_id: string;
  readonly types: readonly string[];
  readonly order: SubscriptionOrder;
  readonly status: SubscriptionStatus;
  /** Of the operation; it never changes. */
  readonly max_attempts: number;
  /** Every matching event up to this position has its run. Runs are inserted before it moves. */
  readonly recorded_to: number;
  readonly replays: readonly ReplayDocument[];
  /** Numbers given to replays so far. */
  readonly replay_count: number;
  /** The worker that records runs until `leased_until`. It only saves work: unique ids decide. */
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
    order: text,
    status: text,
    max_attempts: count,
    recorded_to: count,
    replays: { type: [Schema.Types.Mixed as never], required: true },
    replay_count: count,
    owner: String,
    leased_until: Date,
    created_at: date,
  },
  { collection: "event_subscriptions", strict: "throw", versionKey: false },
);
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ operation_id: 1 });
schema.index({ status: 1, _id: 1 });

export type SubscriptionModel = Model<SubscriptionDocument>;

export function subscriptionModel(connection: Connection): SubscriptionModel {
  return connection.model<SubscriptionDocument>("EventSubscription", schema);
}

export function toSubscription(document: SubscriptionDocument): Subscription {
  const { _id, replays, replay_count, max_attempts, owner, leased_until, ...fields } = document;
  return { id: _id, ...fields };
}
