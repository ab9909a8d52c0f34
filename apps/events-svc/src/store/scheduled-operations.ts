import { defined } from "@platform/kit/process/fields";
import { type Keyring, newId, seal } from "@platform/kit/process/secrets";
import {
  absent,
  collectionOf,
  type IdempotencyClaim,
  idempotencyKeyReused,
  insertOnce,
  type PlatformFact,
  withFact,
} from "@platform/kit/store/documents";
import { revisionConflict } from "@platform/operator-plane/operators";
import { type CronSchedule, nextDueTime } from "../domain/cron-schedule.ts";
import type { OverlapPolicy, ScheduledOperation } from "../domain/scheduled-operation.ts";
import type { StatusReason } from "../domain/status-reason.ts";
import {
  type ScheduledOperationDocument,
  type ScheduleModels,
  toScheduledOperation,
} from "./scheduled-operation-model.ts";

/** Purpose under which the secret of an operation is encrypted. */
export const purposeOf = (operationId: string): string => `scheduled-operation:${operationId}`;

/** An operation as a Project Backend registers it. */
export type Registration = {
  readonly environment: string;
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly max_attempts: number;
};

/**
 * Registers an operation. A repeated key returns the first registration.
 * @throws ServiceError idempotency_key_reused
 */
export async function registerOperation(
  { operations }: ScheduleModels,
  keyring: Keyring,
  clientId: string,
  { secret, ...registration }: Registration,
  claim: IdempotencyClaim,
  now: Date,
): Promise<{ id: string; replayed: boolean }> {
  const id = newId();
  const { document, replayed } = await insertOnce<ScheduledOperationDocument>(operations, {
    _id: id,
    project_client_id: clientId,
    ...registration,
    secret_sealed: seal(keyring, purposeOf(id), secret),
    status: "active",
    created_at: now,
    idempotency_key: claim.key,
    idempotency_fingerprint: claim.fingerprint,
  });
  return { id: document._id, replayed };
}

/**
 * Returns the operation that a key registered before, or null.
 * @throws ServiceError idempotency_key_reused if the key was used for another registration
 */
export async function findRegistered(
  { operations }: ScheduleModels,
  clientId: string,
  claim: IdempotencyClaim,
): Promise<{ id: string } | null> {
  const earlier = await operations
    .findOne({ project_client_id: clientId, idempotency_key: claim.key }, { idempotency_fingerprint: 1 })
    .lean<Pick<ScheduledOperationDocument, "_id" | "idempotency_fingerprint"> | null>();
  if (earlier === null) return null;
  if (earlier.idempotency_fingerprint !== claim.fingerprint) throw idempotencyKeyReused();
  return { id: earlier._id };
}

/** A client's operations, oldest first. */
export async function listOperations({ operations }: ScheduleModels, clientId: string): Promise<ScheduledOperation[]> {
  const found = await operations
    .find({ project_client_id: clientId })
    .sort({ _id: 1 })
    .lean<ScheduledOperationDocument[]>();
  return found.map(toScheduledOperation);
}

/** Finds an operation by its id alone, for operators. */
export async function findOperation({ operations }: ScheduleModels, id: string): Promise<ScheduledOperation | null> {
  const document = await operations.findOne({ _id: id }).lean<ScheduledOperationDocument | null>();
  return document === null ? null : toScheduledOperation(document);
}

/** A change of an operation. Fields that are absent do not change. */
export type ScheduleChange = {
  readonly schedule?: CronSchedule;
  /**
   * What happens to its due runs while an earlier one is unfinished. Runs that are queued already are still executed
   * one after the other.
   */
  readonly overlap?: OverlapPolicy;
  /** The revision on which the change is based; without it, any revision is replaced. */
  readonly revision?: number;
};

/**
 * Changes when an operation runs. A different schedule starts from now on. If the schedule is unchanged, the
 * operation keeps its due time, because that time may have passed without having been recorded yet. A disabled
 * operation keeps the new schedule until it is enabled.
 * @throws ServiceError revision_conflict
 */
export async function changeSchedule(
  models: ScheduleModels,
  id: string,
  change: ScheduleChange,
  now: Date,
): Promise<ScheduledOperation | null> {
  const operation = await findOperation(models, id);
  if (operation === null) return null;
  const { revision, status } = operation;
  if (change.revision !== undefined && change.revision !== revision)
    throw revisionConflict("scheduled operation", revision);
  const overlap = change.overlap === operation.overlap ? undefined : change.overlap;
  const schedule = isSameSchedule(change.schedule, operation.schedule) ? undefined : change.schedule;
  if (overlap === undefined && schedule === undefined) return operation;
  const due = schedule === undefined ? {} : { next_due_at: status === "active" ? nextDueTime(schedule, now) : null };
  // The condition contains the status, because an operation that is enabled in between would get no due time.
  const condition = { _id: id, status, revision: revision === 0 ? absent : revision };
  const changed = await update(models, condition, {
    ...schedule,
    ...defined({ overlap }),
    ...due,
    revision: revision + 1,
  });
  // It is null if another change was written first, so the change is decided again with the new state.
  return changed ?? changeSchedule(models, id, change, now);
}

const isSameSchedule = (one: CronSchedule | undefined, other: CronSchedule | null): boolean =>
  one?.cron === other?.cron && one?.timezone === other?.timezone;

/** Enables an operation. Its schedule continues from now on; missed times are not run. */
export async function enableOperation(
  models: ScheduleModels,
  id: string,
  now: Date,
): Promise<ScheduledOperation | null> {
  const operation = await findOperation(models, id);
  if (operation === null || operation.status === "active") return operation;
  const { schedule } = operation;
  const condition = { _id: id, ...(schedule ?? { cron: { $exists: false } }) };
  const next = schedule === null ? null : nextDueTime(schedule, now);
  // It is null if the schedule was changed in the meantime; then the new schedule is used.
  const enabled = { status: "active", next_due_at: next, status_reason: null } as const;
  return (await update(models, condition, enabled)) ?? enableOperation(models, id, now);
}

/**
 * Disables an operation.
 * @param ended the response with which its target ended it; absent if an operator disables it
 */
export async function disableOperation(
  models: ScheduleModels,
  id: string,
  ended?: { readonly reason: StatusReason; readonly fact: PlatformFact | null },
): Promise<ScheduledOperation | null> {
  if (ended === undefined) return update(models, { _id: id }, { status: "disabled", next_due_at: null });
  const off = { $set: { status: "disabled", status_reason: ended.reason }, $unset: { next_due_at: "" } } as const;
  const document = await models.operations
    .findOneAndUpdate({ _id: id, status: "active" }, withFact(off, ended.fact), { returnDocument: "after" })
    .lean<ScheduledOperationDocument | null>();
  return document === null ? null : toScheduledOperation(document);
}

async function update(
  { operations }: ScheduleModels,
  condition: Record<string, unknown>,
  change: Partial<ScheduledOperation> & Partial<CronSchedule>,
): Promise<ScheduledOperation | null> {
  const entries = Object.entries(change).filter(([, value]) => value !== undefined);
  const unset = entries.filter(([, value]) => value === null).map(([name]) => [name, ""]);
  const document = await operations
    .findOneAndUpdate(
      condition,
      {
        $set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
        ...(unset.length === 0 ? {} : { $unset: Object.fromEntries(unset) }),
      },
      { returnDocument: "after" },
    )
    .lean<ScheduledOperationDocument | null>();
  return document === null ? null : toScheduledOperation(document);
}

/** Operations that are due, the most overdue first. */
export async function findDueOperations(
  { operations }: ScheduleModels,
  now: Date,
  limit: number,
): Promise<ScheduledOperation[]> {
  const found = await operations
    .find({ next_due_at: { $lte: now } })
    .sort({ next_due_at: 1 })
    .limit(limit)
    .lean<ScheduledOperationDocument[]>();
  return found.map(toScheduledOperation);
}

/** Time at which the next operation is due, or null. */
export async function earliestDueTime({ operations }: ScheduleModels): Promise<Date | null> {
  const first = await operations
    .findOne({ next_due_at: { $exists: true } }, { next_due_at: 1 })
    .sort({ next_due_at: 1 })
    .lean<Pick<ScheduledOperationDocument, "next_due_at"> | null>();
  return first?.next_due_at ?? null;
}

/**
 * Advances operations beyond the due times for which runs were recorded. An operation does not change if its due time
 * or its schedule has changed in the meantime.
 */
export async function advanceOperations(
  { operations }: ScheduleModels,
  moves: readonly { operation: ScheduledOperation; next: Date | null }[],
): Promise<void> {
  if (moves.length === 0) return;
  await collectionOf(operations).bulkWrite(
    moves.map(({ operation, next }) => ({
      updateOne: {
        filter: { _id: operation.id, next_due_at: operation.next_due_at ?? absent, ...operation.schedule },
        update: next === null ? { $unset: { next_due_at: "" } } : { $set: { next_due_at: next } },
      },
    })),
    { ordered: false },
  );
}
