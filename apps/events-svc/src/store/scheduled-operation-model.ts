import { indexOutbox, mixed, type OutboxFields, outboxSchema } from "@platform/kit/store/documents";
import { type Connection, type Model, Schema } from "mongoose";
import type { OverlapPolicy, ScheduledOperation } from "../domain/scheduled-operation.ts";
import type { RunAttempt, RunState } from "../domain/scheduled-run.ts";
import type { StatusReason } from "../domain/status-reason.ts";

export type ScheduledOperationDocument = {
  readonly _id: string;
  readonly project_client_id: string;
  readonly environment: string;
  readonly name: string;
  readonly url: string;
  /** Encrypted with AES-256-GCM under the operation's id. */
  readonly secret_sealed: string;
  /** The previous secret, encrypted in the same way. It also signs until then. */
  readonly previous_secret_sealed?: string;
  readonly previous_secret_until?: Date;
  readonly secret_rotated_at?: Date;
  readonly max_attempts: number;
  readonly status: "active" | "disabled";
  readonly status_reason?: StatusReason;
  readonly cron?: string;
  readonly timezone?: string;
  readonly next_due_at?: Date;
  /** Absent: runs may overlap. */
  readonly overlap?: OverlapPolicy;
  /** Headers of its calls, encrypted as JSON under the operation's id, and their names. Absent if there are none. */
  readonly headers_sealed?: string;
  readonly header_names?: readonly string[];
  /** Most calls in a second. Absent: no limit. */
  readonly per_second?: number;
  /** Absent until its schedule, its overlap or its calls are changed. */
  readonly revision?: number;
  readonly created_at: Date;
  readonly idempotency_key: string;
  readonly idempotency_fingerprint: string;
} & OutboxFields;

/** A run with its work in one document, so that a recorded run is always executed. */
export type ScheduledRunDocument = {
  /** The invocation id. */
  readonly _id: string;
  readonly project_client_id: string;
  readonly operation_id: string;
  readonly scheduled_for: Date;
  /** Present in runs of a schedule: one run for each due time. Absent in one-off invocations. */
  readonly due_at?: Date;
  readonly state: RunState;
  readonly attempts: readonly RunAttempt[];
  readonly attempt_count: number;
  /** Numbers of attempts that were made and that are left since the run was started or redriven. */
  readonly tries_made: number;
  readonly tries_left: number;
  /** Reason why it is no longer attempted, if no attempt gives one. */
  readonly error?: string;
  /** Time at which a worker may claim it: the next attempt of a waiting run, or the end of the lease of a running one. Missing if it has ended. */
  readonly claimable_at?: Date;
  /** The claim that holds it, which is the fencing token of every write. */
  readonly claim?: string;
  /** Present while the run waits for the previous run, as the overlap policy `queue` requires. */
  readonly queued?: true;
  /** Present if another run may be queued behind it. */
  readonly in_turn?: true;
  /** Trace of the operator's invocation; absent in scheduled runs and without tracing. */
  readonly traceparent?: string;
  /** Correlation id of the operator's invocation or of the request that published the event. Absent from scheduled runs. */
  readonly correlation_id?: string;
} & Partial<EventRunFields> &
  OutboxFields;

/** Fields of a run that delivers a Domain Event for a subscription. */
export type EventRunFields = {
  readonly subscription_id: string;
  readonly event_id: string;
  /** The event's position in its client's log. */
  readonly position: number;
  /** 0 for the first delivery, otherwise the number of the replay. */
  readonly replay: number;
  /**
   * Runs with the same lane are executed one after the other, by position. A lane is one stream of an ordered
   * subscription.
   */
  readonly lane?: string;
  /** Present until the run has ended. */
  readonly unsettled?: true;
};

const text = { type: String, required: true } as const;
const date = { type: Date, required: true } as const;
const count = { type: Number, required: true } as const;

const operationSchema = new Schema<ScheduledOperationDocument>(
  {
    _id: text,
    project_client_id: text,
    environment: text,
    name: text,
    url: text,
    secret_sealed: text,
    previous_secret_sealed: String,
    previous_secret_until: Date,
    secret_rotated_at: Date,
    max_attempts: count,
    status: text,
    status_reason: { type: mixed },
    cron: String,
    timezone: String,
    next_due_at: Date,
    overlap: String,
    headers_sealed: String,
    header_names: { type: [String], default: undefined },
    per_second: Number,
    revision: Number,
    created_at: date,
    idempotency_key: text,
    idempotency_fingerprint: text,
    ...outboxSchema,
  },
  { collection: "scheduled_operations", strict: "throw", versionKey: false },
);
operationSchema.index({ project_client_id: 1, idempotency_key: 1 }, { unique: true });
operationSchema.index({ next_due_at: 1 }, { partialFilterExpression: { next_due_at: { $exists: true } } });
indexOutbox(operationSchema);

const runSchema = new Schema<ScheduledRunDocument>(
  {
    _id: text,
    project_client_id: text,
    operation_id: text,
    scheduled_for: date,
    due_at: Date,
    state: text,
    attempts: { type: [mixed], required: true },
    attempt_count: count,
    tries_made: count,
    tries_left: count,
    error: String,
    claimable_at: Date,
    claim: String,
    queued: Boolean,
    in_turn: Boolean,
    traceparent: String,
    correlation_id: String,
    subscription_id: String,
    event_id: String,
    position: Number,
    replay: Number,
    lane: String,
    unsettled: Boolean,
    ...outboxSchema,
  },
  { collection: "scheduled_runs", strict: "throw", versionKey: false },
);
// This unique index ensures that each due time runs once, however many workers find it.
runSchema.index(
  { project_client_id: 1, operation_id: 1, due_at: 1 },
  { unique: true, partialFilterExpression: { due_at: { $exists: true } } },
);
runSchema.index({ project_client_id: 1, operation_id: 1, scheduled_for: -1 });
// Index for retention, oldest records first.
runSchema.index({ scheduled_for: 1, _id: 1 });
// Failed runs across the operations of a client. Only they are in this index, so it costs successful runs nothing.
runSchema.index({ project_client_id: 1, scheduled_for: 1, _id: 1 }, { partialFilterExpression: { state: "failed" } });
// Index for the same query across clients.
runSchema.index({ state: 1, scheduled_for: 1, _id: 1 }, { partialFilterExpression: { state: "failed" } });
runSchema.index({ claimable_at: 1 }, { partialFilterExpression: { claimable_at: { $exists: true } } });
runSchema.index(
  { project_client_id: 1, operation_id: 1, claimable_at: 1 },
  { partialFilterExpression: { claimable_at: { $exists: true } } },
);
// Runs that wait for the previous one, by operation; there are few.
runSchema.index({ queued: 1, operation_id: 1, due_at: 1 }, { partialFilterExpression: { queued: true } });

// Index of a subscription's first unfinished run.
runSchema.index({ subscription_id: 1, replay: 1, position: 1 }, { partialFilterExpression: { unsettled: true } });
// Index of an ordered stream's first unfinished run.
runSchema.index(
  { subscription_id: 1, lane: 1, position: 1 },
  { partialFilterExpression: { unsettled: true, lane: { $exists: true } } },
);
runSchema.index({ subscription_id: 1, state: 1 }, { partialFilterExpression: { state: "failed" } });

indexOutbox(runSchema);

export type ScheduleModels = {
  readonly operations: Model<ScheduledOperationDocument>;
  readonly runs: Model<ScheduledRunDocument>;
};

export function scheduleModels(connection: Connection): ScheduleModels {
  return {
    operations: connection.model<ScheduledOperationDocument>("ScheduledOperation", operationSchema),
    runs: connection.model<ScheduledRunDocument>("ScheduledRun", runSchema),
  };
}

export function toScheduledOperation(document: ScheduledOperationDocument): ScheduledOperation {
  const { cron, timezone } = document;
  return {
    id: document._id,
    project_client_id: document.project_client_id,
    environment: document.environment,
    name: document.name,
    url: document.url,
    max_attempts: document.max_attempts,
    status: document.status,
    status_reason: document.status_reason ?? null,
    schedule: cron === undefined || timezone === undefined ? null : { cron, timezone },
    next_due_at: document.next_due_at ?? null,
    overlap: document.overlap ?? "allow",
    header_names: document.header_names ?? [],
    per_second: document.per_second ?? null,
    revision: document.revision ?? 0,
  };
}
