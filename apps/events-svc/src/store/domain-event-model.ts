import { type Connection, type Model, mongo, Schema } from "mongoose";
import type { DomainEvent } from "../domain/domain-event.ts";

/**
 * A stored Domain Event together with its pending work. An event without a position has `unnumbered`, and an event
 * that has to be relayed has `relay_state: "pending"`. The insert that publishes the event also sets both fields, so
 * no work can be lost.
 */
export type DomainEventDocument = {
  readonly _id: string;
  readonly project_client_id: string;
  readonly type: string;
  readonly schema_version: number;
  readonly data_json: string;
  /**
   * Absent, and not null, if the event belongs to no stream, because the unique index must contain only events of
   * streams.
   */
  readonly stream_id?: string;
  readonly sequence?: number;
  readonly occurred_at: Date | null;
  readonly published_at: Date;
  /**
   * Time of the insert, which the primary sets and by which unnumbered events are ordered. It is zero if the server
   * does not set it; then `_id` orders them.
   */
  readonly inserted: mongo.Timestamp;
  readonly unnumbered?: true;
  /**
   * Partition of the client. The worker that holds the partition numbers and relays the event. Missing from events of
   * earlier versions.
   */
  readonly partition?: number;
  /** Position in the client's log, counted from 1. */
  readonly position?: number;
  readonly relay_state: "off" | "pending" | "relayed";
  /**
   * Present in events that the platform published itself. Their idempotency keys start with `platform `, which cannot
   * be a client's key because it contains a space.
   */
  readonly origin?: "platform";
  /** Correlation id of the request that published it, visible to operators only. Absent from the platform's own events. */
  readonly correlation_id?: string;
  readonly idempotency_key: string;
  readonly idempotency_fingerprint: string;
};

/**
 * The end of a client's log, with the last batch of positions. The batch is written here before the positions are
 * written into its events. After a crash in between, the next worker completes the batch, so no event is lost or
 * numbered twice.
 */
export type EventLogHeadDocument = {
  readonly _id: string;
  /** Number of batches so far. Every write requires the number that it has read. */
  readonly revision: number;
  /** The last position that was assigned. */
  readonly position: number;
  /** Ids of the events of the last batch. The last of them has `position`. */
  readonly batch: readonly string[];
  /**
   * Fencing token of the claim under which the head was written last. A worker with a lower token has lost the
   * client's partition.
   */
  readonly fence?: number;
  /** Every event up to this position was removed, or is about to be removed. */
  readonly removed_to?: number;
};

const text = { type: String, required: true } as const;

const eventSchema = new Schema<DomainEventDocument>(
  {
    _id: text,
    project_client_id: text,
    type: text,
    schema_version: { type: Number, required: true },
    data_json: text,
    stream_id: String,
    sequence: Number,
    occurred_at: Date,
    published_at: { type: Date, required: true },
    inserted: { type: Schema.Types.Mixed, required: true },
    unnumbered: Boolean,
    partition: Number,
    position: Number,
    relay_state: text,
    origin: String,
    correlation_id: String,
    idempotency_key: text,
    idempotency_fingerprint: text,
  },
  { collection: "domain_events", strict: "throw", versionKey: false },
);
eventSchema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
eventSchema.index(
  { project_client_id: 1, stream_id: 1, sequence: 1 },
  { unique: true, partialFilterExpression: { stream_id: { $exists: true } } },
);
// The unique index is a second safeguard: two events can never have the same position.
eventSchema.index(
  { project_client_id: 1, position: 1 },
  { unique: true, partialFilterExpression: { position: { $exists: true } } },
);
eventSchema.index(
  { partition: 1, project_client_id: 1, inserted: 1, _id: 1 },
  { partialFilterExpression: { unnumbered: true } },
);
eventSchema.index(
  { project_client_id: 1, relay_state: 1, position: 1 },
  { partialFilterExpression: { relay_state: "pending" } },
);
eventSchema.index({ partition: 1, project_client_id: 1 }, { partialFilterExpression: { relay_state: "pending" } });

const headSchema = new Schema<EventLogHeadDocument>(
  {
    _id: text,
    revision: { type: Number, required: true },
    position: { type: Number, required: true },
    batch: { type: [String], required: true },
    fence: Number,
    removed_to: Number,
  },
  { collection: "event_log_heads", strict: "throw", versionKey: false },
);

export type EventModels = {
  readonly events: Model<DomainEventDocument>;
  readonly heads: Model<EventLogHeadDocument>;
};

export function eventModels(connection: Connection): EventModels {
  return {
    events: connection.model<DomainEventDocument>("DomainEvent", eventSchema),
    heads: connection.model<EventLogHeadDocument>("EventLogHead", headSchema),
  };
}

/**
 * An empty timestamp. If a top-level field contains it, the primary replaces it by the time of the insert (MongoDB
 * manual, BSON types).
 */
export const timestampOfInsertion = (): mongo.Timestamp => new mongo.Timestamp({ t: 0, i: 0 });

export function toDomainEvent(document: DomainEventDocument): DomainEvent {
  return {
    id: document._id,
    project_client_id: document.project_client_id,
    type: document.type,
    schema_version: document.schema_version,
    data_json: document.data_json,
    stream_id: document.stream_id ?? null,
    sequence: document.sequence ?? null,
    occurred_at: document.occurred_at,
    published_at: document.published_at,
    origin: document.origin ?? "client",
  };
}
