import { type Connection, type Model, mongo, Schema } from "mongoose";
import type { DomainEvent } from "../domain/domain-event.ts";

/**
 * A stored Domain Event with its pending work: an event without a position is `unnumbered`, one to relay is `relay_state: "pending"`. One insert
 * publishes it and sets both, so neither can be lost.
 */
export type DomainEventDocument = {
  readonly _id: string;
  readonly project_client_id: string;
  readonly type: string;
  readonly schema_version: number;
  readonly data_json: string;
  /** Absent, not null, without a stream: the unique index covers only events of streams. */
  readonly stream_id?: string;
  readonly sequence?: number;
  readonly occurred_at: Date | null;
  readonly published_at: Date;
  /**
   * Set by the primary at the insert; orders unnumbered events. It is zero if the server does not set it; then `_id`
   * orders them.
   */
  readonly inserted: mongo.Timestamp;
  readonly unnumbered?: true;
  /** Partition of the client. The worker that holds it numbers and relays the event. Missing in events of earlier versions. */
  readonly partition?: number;
  /** Position in the client's log: 1, 2, 3, … */
  readonly position?: number;
  readonly relay_state: "off" | "pending" | "relayed";
  /**
   * Present in the platform's own events. Their idempotency keys start with `platform `; a client's key contains no
   * space.
   */
  readonly origin?: "platform";
  /** Correlation id of the request that published it, visible to operators only. Absent from the platform's own events. */
  readonly correlation_id?: string;
  readonly idempotency_key: string;
  readonly idempotency_fingerprint: string;
};

/**
 * The end of a client's log with the last batch of positions. The batch is written before its events are, and the next
 * numberer completes it. A crash in between therefore loses nothing and numbers nothing twice.
 */
export type EventLogHeadDocument = {
  readonly _id: string;
  /** Number of batches so far, on which every write is conditional. */
  readonly revision: number;
  /** Last assigned position. */
  readonly position: number;
  /** Ids of the last batch; the last of them has `position`. */
  readonly batch: readonly string[];
  /** Fencing token of the claim under which it was written last. A worker with a lower one has lost the client's partition. */
  readonly fence?: number;
  /** Every event up to this position was removed, or is about to be. */
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
// Unique as a second safeguard: two events can never share a position.
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
 * Lets the primary set the time of insertion: it fills an empty timestamp of a top-level field (MongoDB manual, BSON
 * types).
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
