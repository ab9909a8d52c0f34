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
  /** The secret that signs calls, encrypted with AES-256-GCM under the operation's id. */
  readonly secret_sealed: string;
  /** The previous secret, encrypted in the same way. During the overlap, it signs calls as well. */
  readonly previous_secret_sealed?: string;
  readonly previous_secret_until?: Date;
  readonly secret_rotated_at?: Date;
  readonly max_attempts: number;
  readonly status: "active" | "disabled";
  readonly status_reason?: StatusReason;
  readonly cron?: string;
  readonly timezone?: string;
  readonly next_due_at?: Date;
  /** If it is absent, runs may overlap. */
  readonly overlap?: OverlapPolicy;
  /** Headers of its calls as JSON, encrypted under the operation's id. Absent if there are none. */
  readonly headers_sealed?: string;
  readonly header_names?: readonly string[];
  /** Maximum number of calls per second. If it is absent, there is no limit. */
  readonly per_second?: number;
  /** Absent until the schedule, the overlap policy or the call settings are changed for the first time. */
  readonly revision?: number;
  readonly created_at: Date;
  readonly idempotency_key: string;
  readonly idempotency_fingerprint: string;
} & OutboxFields;

/** A run and its pending work. Both are in one document, so that a recorded run is always executed. */
export type ScheduledRunDocument = {
  /** The invocation id. */
  readonly _id: string;
  readonly project_client_id: string;
  readonly operation_id: string;
  readonly scheduled_for: Date;
  /** Present in runs of a schedule, which has one run for each due time. Absent from one-off invocations. */
  readonly due_at?: Date;
  readonly state: RunState;
  readonly attempts: readonly RunAttempt[];
  readonly attempt_count: number;
  /** `tries_made` and `tries_left` count the attempts since the run was started or redriven. */
  readonly tries_made: number;
  readonly tries_left: number;
  /** Reason why the run is no longer attempted, if its last attempt does not give one. */
  readonly error?: string;
  /**
   * Time from which a worker may claim the run: the time of the next attempt, or the end of the lease while it is
   * running. Missing once the run has ended.
   */
  readonly claimable_at?: Date;
  /** Id of the claim that holds the run. It is the fencing token that every write requires. */
  readonly claim?: string;
  /** Present while the run waits for the previous run, as the overlap policy `queue` requires. */
  readonly queued?: true;
  /** Present if later runs of the same operation have to wait for this one. */
  readonly in_turn?: true;
  /** Trace context of the operator's invocation. Absent from scheduled runs, and if tracing is off. */
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
  /** 0 for the first delivery of the event, otherwise the number of the replay. */
  readonly replay: number;
  /**
   * Runs with the same lane are executed one after the other, by position. A lane is one stream of an ordered
   * subscription.
   */
  readonly lane?: string;
  /** Present until the run has ended, for the index of unfinished runs. */
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
// The unique index ensures that each due time has one run, however many workers find it.
runSchema.index(
  { project_client_id: 1, operation_id: 1, due_at: 1 },
  { unique: true, partialFilterExpression: { due_at: { $exists: true } } },
);
runSchema.index({ project_client_id: 1, operation_id: 1, scheduled_for: -1 });
// Index for retention, oldest records first.
runSchema.index({ scheduled_for: 1, _id: 1 });
// Index for failed runs across the operations of a client. It contains only failed runs, so it adds no cost to
// successful ones.
runSchema.index({ project_client_id: 1, scheduled_for: 1, _id: 1 }, { partialFilterExpression: { state: "failed" } });
// Index for the same list across clients.
runSchema.index({ state: 1, scheduled_for: 1, _id: 1 }, { partialFilterExpression: { state: "failed" } });
runSchema.index({ claimable_at: 1 }, { partialFilterExpression: { claimable_at: { $exists: true } } });
runSchema.index(
  { project_client_id: 1, operation_id: 1, claimable_at: 1 },
  { partialFilterExpression: { claimable_at: { $exists: true } } },
);
// Index for runs that wait for the previous one, by operation. There are few such runs.
runSchema.index({ queued: 1, operation_id: 1, due_at: 1 }, { partialFilterExpression: { queued: true } });

// Index for finding a subscription's first unfinished run.
runSchema.index({ subscription_id: 1, replay: 1, position: 1 }, { partialFilterExpression: { unsettled: true } });
// Index for finding the first unfinished run of an ordered stream.
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
