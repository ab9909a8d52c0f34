import { defined } from "@platform/kit/process/fields";
import { newId } from "@platform/kit/process/secrets";
import { activeTraceparent } from "@platform/kit/process/telemetry";
import { collectionOf, insertEach, isDuplicateKey } from "@platform/kit/store/documents";
import type { DueTimes } from "../domain/cron-schedule.ts";
import type { ScheduledOperation } from "../domain/scheduled-operation.ts";
import { releaseQueued, type Turn, turnOf } from "./overlapping-runs.ts";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

/**
 * Records the due times of operations: one run for the latest time, and skipped runs for missed times. A time that
 * already has a run does not change. The insert also decides whether a run waits for the previous one.
 * @returns how many documents are new
 */
export async function recordDueRuns(
  models: ScheduleModels,
  dues: readonly { operation: ScheduledOperation; times: DueTimes }[],
): Promise<number> {
  const { runs } = models;
  const turns = await Promise.all(dues.map(({ operation, times }) => turnOf(models, operation, times.due)));
  const documents = dues.flatMap(({ operation, times }, index) => [
    dueRun(operation, times.due, turns[index]),
    ...times.skipped.map((time) => newRun(operation, time, "skipped", { due_at: time })),
  ]);
  if (documents.length === 0) return 0;
  const failures = await insertEach(runs, documents);
  // If the previous run ended before this one was queued, nobody else releases this one.
  for (const { queued, operation_id, scheduled_for } of documents) {
    if (queued === true) await releaseQueued(models, operation_id, scheduled_for);
  }
  // Each document has a new id, so a duplicate means that the due time was already recorded.
  for (const failure of failures.values()) if (!isDuplicateKey(failure)) throw failure;
  return documents.length - failures.size;
}

function dueRun(operation: ScheduledOperation, due: Date, turn: Turn | undefined): ScheduledRunDocument {
  if (turn === "skipped") return newRun(operation, due, "skipped", { due_at: due, error: "overlap" });
  if (turn === "queued") return newRun(operation, due, "waiting", { due_at: due, queued: true });
  return newRun(operation, due, "pending", { due_at: due, claimable_at: due });
}

/** Records a run of an operation that is due now or at a given later time, in addition to those of its schedule. */
export async function invokeOnce(
  { runs }: ScheduleModels,
  operation: ScheduledOperation,
  correlationId: string,
  at: Date,
): Promise<string> {
  const run = newRun(operation, at, "pending", { claimable_at: at, correlation_id: correlationId, ...tracedHere() });
  await collectionOf(runs).insertOne(run);
  return run._id;
}

/** Trace context of the operation that this process is currently tracing, if any. */
function tracedHere(): { traceparent?: string } {
  const traceparent = activeTraceparent();
  return defined({ traceparent });
}

function newRun(
  operation: ScheduledOperation,
  scheduledFor: Date,
  state: ScheduledRunDocument["state"],
  fields: Partial<ScheduledRunDocument>,
): ScheduledRunDocument {
  return {
    _id: newId(),
    project_client_id: operation.project_client_id,
    operation_id: operation.id,
    scheduled_for: scheduledFor,
    state,
    attempts: [],
    attempt_count: 0,
    tries_made: 0,
    tries_left: operation.max_attempts,
    ...(operation.overlap === "queue" ? { in_turn: true } : {}),
    ...fields,
  };
}

/** Finds a run by its invocation id alone, for operators. */
export async function findRun({ runs }: ScheduleModels, id: string): Promise<ScheduledRunDocument | null> {
  return runs.findOne({ _id: id }).lean<ScheduledRunDocument | null>();
}

/**
 * Makes a finished or deferred run due again, with its full number of attempts. Earlier attempts stay in the list.
 * @returns false if it is pending or running, or has succeeded
 */
export async function redriveRun(
  { runs }: ScheduleModels,
  run: ScheduledRunDocument,
  maxAttempts: number,
  now: Date,
): Promise<boolean> {
  const { matchedCount } = await collectionOf(runs).updateOne(
    {
      _id: run._id,
      project_client_id: run.project_client_id,
      state: { $in: ["failed", "skipped", "deferred"] },
    },
    {
      $set: { state: "pending", claimable_at: now, tries_made: 0, tries_left: maxAttempts, ...tracedHere() },
      $unset: { error: "", claim: "" },
    },
  );
  return matchedCount === 1;
}

/** The runs of an operation, newest first. */
export async function listRuns(
  { runs }: ScheduleModels,
  clientId: string,
  operationId: string,
  limit: number,
): Promise<ScheduledRunDocument[]> {
  return runs
    .find({ project_client_id: clientId, operation_id: operationId })
    .sort({ scheduled_for: -1 })
    .limit(limit)
    .lean<ScheduledRunDocument[]>();
}
