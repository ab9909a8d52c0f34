import { defined } from "@platform/kit/process/fields";
import { indexOutbox, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";
import type { Channel } from "../domain/channel.ts";
import type { Delivery, DeliveryAttempt, DeliveryStatus, MessageContent, ProviderStatus } from "../domain/delivery.ts";
import { firstOwnership } from "../domain/endpoint.ts";
import type { PushContent } from "../domain/push-fields.ts";

type AttemptRecord = {
  attempt: number;
  at: Date;
  provider_status: DeliveryAttempt["providerStatus"];
  error_code: string | null;
  duration_ms: number;
};

/** An intent, its delivery and its work item: one document, so that they are accepted by one write. */
export type DeliveryRecord = OutboxFields & {
  _id: string;
  project_client_id: string;
  kind: "intent" | "verification";
  intent_id: string;
  /**
   * The caller's key, prefixed by the scope of its operation (`email:…`, `channel:…`), or the name of a verification
   * push.
   */
  idempotency_key: string;
  idempotency_fingerprint: string;
  channel: Channel;
  /** Absent from verification pushes and from deliveries that earlier versions stored. */
  template_key?: string;
  sender_profile_id: string;
  endpoint_id: string;
  /** Absent from deliveries that were stored before ownership generations were introduced. */
  ownership_generation?: number;
  purpose: string | null;
  unsubscribe_token_hash?: string;
  verification_generation: number | null;
  /** `push` is absent from contents that were stored before pushes had more fields than title and text. */
  content: (Omit<MessageContent, "push"> & { push?: PushContent | null }) | null;
  status: DeliveryStatus;
  lane: string;
  due_at: Date;
  give_up_at: Date;
  attempts: number;
  /** Present only while a worker holds the delivery: the id of the claim. */
  claim_id?: string;
  lease_until?: Date;
  provider_status: ProviderStatus | null;
  last_error_code: string | null;
  attempt_log: AttemptRecord[];
  correlation_id: string;
  traceparent: string | null;
  created_at: Date;
  finished_at: Date | null;
};

const schema = new Schema<DeliveryRecord>(
  {
    _id: { type: String, required: true },
    project_client_id: { type: String, required: true },
    kind: String,
    intent_id: String,
    idempotency_key: String,
    idempotency_fingerprint: String,
    channel: String,
    template_key: String,
    sender_profile_id: String,
    endpoint_id: String,
    ownership_generation: Number,
    purpose: String,
    unsubscribe_token_hash: String,
    verification_generation: Number,
    content: { type: Schema.Types.Mixed },
    status: String,
    lane: String,
    due_at: Date,
    give_up_at: Date,
    attempts: Number,
    claim_id: String,
    lease_until: Date,
    provider_status: String,
    last_error_code: String,
    attempt_log: [{ type: Schema.Types.Mixed }],
    correlation_id: String,
    traceparent: String,
    created_at: Date,
    finished_at: Date,
    ...outboxSchema,
  },
  { collection: "deliveries", strict: "throw", versionKey: false },
);
/** Index of waiting deliveries by due time, for servers that sort everything that matches. The queue names it. */
export const byDueTime = { due_at: 1 } as const;
schema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
// Index of the queue: the deliveries of each bulkhead by due time. It does not contain finished deliveries, so its
// size depends only on the backlog.
schema.index({ status: 1, lane: 1, due_at: 1 }, { partialFilterExpression: { status: "pending" } });
schema.index(byDueTime, { partialFilterExpression: { status: "pending" } });
schema.index({ lease_until: 1 }, { sparse: true });
indexOutbox(schema);
schema.index({ unsubscribe_token_hash: 1 }, { sparse: true });
// Indexes for retention, which first removes the contents of failed deliveries and then finished deliveries, oldest
// first.
schema.index({ status: 1, finished_at: 1 }, { partialFilterExpression: { status: "failed" } });
schema.index({ finished_at: 1 }, { partialFilterExpression: { finished_at: { $gt: new Date(0) } } });
// Index for operators' lists of deliveries, newest first.
schema.index({ project_client_id: 1, created_at: 1, _id: 1 });
schema.index({ project_client_id: 1, status: 1, created_at: 1, _id: 1 });
schema.index({ project_client_id: 1, channel: 1, created_at: 1, _id: 1 });
schema.index({ project_client_id: 1, template_key: 1, created_at: 1, _id: 1 });
schema.index(
  { project_client_id: 1, last_error_code: 1, created_at: 1, _id: 1 },
  { partialFilterExpression: { last_error_code: { $gt: "" } } },
);
schema.index({ endpoint_id: 1, created_at: 1, _id: 1 });
// Index for the same list across clients. A template key only has a meaning within one client, so no index starts
// with it.
schema.index({ created_at: 1, _id: 1 });
schema.index({ status: 1, created_at: 1, _id: 1 });
schema.index({ channel: 1, created_at: 1, _id: 1 });
schema.index(
  { last_error_code: 1, created_at: 1, _id: 1 },
  { partialFilterExpression: { last_error_code: { $gt: "" } } },
);

export function deliveryModel(connection: Connection): Model<DeliveryRecord> {
  return connection.model<DeliveryRecord>("Delivery", schema);
}

export function toDelivery(record: DeliveryRecord): Delivery {
  return {
    id: record._id,
    projectClientId: record.project_client_id,
    kind: record.kind,
    intentId: record.intent_id,
    channel: record.channel,
    templateKey: record.template_key ?? null,
    senderProfileId: record.sender_profile_id,
    endpointId: record.endpoint_id,
    ownershipGeneration: record.ownership_generation ?? firstOwnership,
    purpose: record.purpose,
    unsubscribeTokenHash: record.unsubscribe_token_hash ?? null,
    verificationGeneration: record.verification_generation,
    content: record.content === null ? null : { ...record.content, push: record.content.push ?? null },
    status: record.status,
    attempts: record.attempts,
    dueAt: record.due_at,
    giveUpAt: record.give_up_at,
    providerStatus: record.provider_status,
    lastErrorCode: record.last_error_code,
    attemptLog: record.attempt_log.map((attempt) => ({
      attempt: attempt.attempt,
      at: attempt.at,
      providerStatus: attempt.provider_status,
      errorCode: attempt.error_code,
      durationMs: attempt.duration_ms,
    })),
    correlationId: record.correlation_id,
    traceparent: record.traceparent,
    createdAt: record.created_at,
    finishedAt: record.finished_at,
  };
}

/** The keys that are stored together with a delivery. */
export type DeliveryKeys = { readonly key: string; readonly fingerprint: string; readonly bulkhead: string };

export function toDeliveryRecord(delivery: Delivery, keys: DeliveryKeys): DeliveryRecord {
  return {
    _id: delivery.id,
    project_client_id: delivery.projectClientId,
    kind: delivery.kind,
    intent_id: delivery.intentId,
    idempotency_key: keys.key,
    idempotency_fingerprint: keys.fingerprint,
    channel: delivery.channel,
    ...defined({ template_key: delivery.templateKey }),
    sender_profile_id: delivery.senderProfileId,
    endpoint_id: delivery.endpointId,
    ownership_generation: delivery.ownershipGeneration,
    purpose: delivery.purpose,
    ...defined({ unsubscribe_token_hash: delivery.unsubscribeTokenHash }),
    verification_generation: delivery.verificationGeneration,
    content: delivery.content,
    status: delivery.status,
    lane: keys.bulkhead,
    due_at: delivery.dueAt,
    give_up_at: delivery.giveUpAt,
    attempts: delivery.attempts,
    provider_status: delivery.providerStatus,
    last_error_code: delivery.lastErrorCode,
    attempt_log: [],
    correlation_id: delivery.correlationId,
    traceparent: delivery.traceparent,
    created_at: delivery.createdAt,
    finished_at: delivery.finishedAt,
  };
}
