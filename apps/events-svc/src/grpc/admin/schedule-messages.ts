import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { defined } from "@platform/kit/process/fields";
import { optionalTimestamp } from "@platform/kit/rpc/client";
import { ServiceError } from "@platform/kit/rpc/errors";
import type { ScheduledOperationSchema, ScheduledRunSchema } from "@platform/proto/events/v1/events_admin";
import { BadSchedule, type CronSchedule, checkSchedule, nextDueTimes } from "../../domain/cron-schedule.ts";
import { type OverlapPolicy, overlapPolicies, type ScheduledOperation } from "../../domain/scheduled-operation.ts";
import type { StatusReason } from "../../domain/status-reason.ts";
import type { ScheduledRunDocument } from "../../store/scheduled-operation-model.ts";

/** Encodes a scheduled operation, without its secret. */
export function toOperationMessage(operation: ScheduledOperation): MessageInitShape<typeof ScheduledOperationSchema> {
  return {
    id: operation.id,
    name: operation.name,
    url: operation.url,
    maxAttempts: operation.max_attempts,
    status: operation.status,
    overlap: operation.overlap,
    revision: operation.revision,
    projectClientId: operation.project_client_id,
    headerNames: [...operation.header_names],
    nextDueTimes: dueTimesOf(operation).map(timestampFromDate),
    ...defined({ perSecond: operation.per_second }),
    ...(operation.schedule ?? {}),
    ...optionalTimestamp("nextDueAt", operation.next_due_at),
    ...defined({ statusReason: statusReasonMessage(operation.status_reason ?? undefined) }),
  };
}

const dueTimesOf = ({ schedule, next_due_at: next }: ScheduledOperation): Date[] =>
  schedule === null || next === null ? [] : nextDueTimes(schedule, next);

/** Returns the operation, and rejects the request if it is disabled. */
export function requireEnabled(operation: ScheduledOperation): ScheduledOperation {
  if (operation.status !== "disabled") return operation;
  throw operatorError("The operation is disabled; enable it first: schedules enable --operation ID.");
}

/** Checks a schedule. @throws ServiceError that describes the problem */
export function requireSchedule(schedule: CronSchedule, now: Date): void {
  try {
    checkSchedule(schedule, now);
  } catch (error) {
    if (error instanceof BadSchedule) throw operatorError(`${error.message}.`);
    throw error;
  }
}

/** Encodes the reason why a target's response ended something; undefined if there is none. */
export function statusReasonMessage(reason: StatusReason | undefined) {
  if (reason === undefined) return undefined;
  return { statusCode: reason.status_code, at: timestampFromDate(reason.at), bodyStart: reason.body_start };
}

/** @throws ServiceError if the text is not an overlap policy */
export function readOverlap(text: string): OverlapPolicy {
  const policy = overlapPolicies.find((each) => each === text);
  if (policy === undefined) throw operatorError(`The overlap policy must be ${overlapPolicies.join(", ")}.`);
  return policy;
}

/** Encodes a run. */
export function toRunMessage(run: ScheduledRunDocument): MessageInitShape<typeof ScheduledRunSchema> {
  return {
    id: run._id,
    scheduledFor: timestampFromDate(run.scheduled_for),
    status: run.state,
    attempts: run.attempts.map(({ at, status_code, error, response }) => ({
      at: timestampFromDate(at),
      ...defined({ statusCode: status_code, error, response }),
    })),
    ...defined({ error: run.error, subscriptionId: run.subscription_id, eventId: run.event_id }),
  };
}

/** The error for an operator's request that cannot be executed. The message states the reason. */
export function operatorError(message: string): ServiceError {
  return new ServiceError("contract_violation", message);
}

/** Returns the operation, or throws the operator's error if there is none. */
export function found<T>(value: T | null, what: string): T {
  if (value === null) throw operatorError(`There is no such ${what}.`);
  return value;
}
