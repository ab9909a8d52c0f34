import { defined } from "@platform/kit/process/fields";
import { collectionOf, type Page, type PageRequest, readPage, type TimeSpan } from "@platform/kit/store/documents";
import type { ScheduledOperation } from "../domain/scheduled-operation.ts";
import {
  type ScheduledOperationDocument,
  type ScheduledRunDocument,
  type ScheduleModels,
  toScheduledOperation,
} from "./scheduled-operation-model.ts";

/** A failed run with its operation. The operation is null if it no longer exists. */
export type FailedRun = { readonly run: ScheduledRunDocument; readonly operation: ScheduledOperation | null };

/** Result of redriving one batch of runs. */
export type RedrivenBatch = {
  readonly matched: number;
  readonly redriven: number;
  readonly skipped: number;
  readonly nextCursor: string;
};

/** A page of failed runs, newest first. If the client is null, the runs of all clients are listed. */
export async function listFailedRuns(
  models: ScheduleModels,
  clientId: string | null,
  span: TimeSpan,
  page: PageRequest,
  direction: 1 | -1 = -1,
): Promise<Page<FailedRun>> {
  const { items, nextCursor } = await readPage<ScheduledRunDocument>(
    models.runs,
    { ...defined({ project_client_id: clientId }), state: "failed" },
    page,
    { order: { by: "scheduled_for", direction }, span, isLong: true },
  );
  const operations = await findOperations(models, [...new Set(items.map((run) => run.operation_id))]);
  return {
    items: items.map((run) => ({ run, operation: operations.get(run.operation_id) ?? null })),
    nextCursor,
  };
}

/**
 * Makes one page of failed runs due again, oldest first, each with its full number of attempts. The order does not
 * depend on fields that this changes, so each run is visited once, and repeating a page changes nothing.
 * @param isDryRun true to only count them
 */
export async function redriveBatch(
  models: ScheduleModels,
  clientId: string,
  span: TimeSpan,
  page: PageRequest,
  { isDryRun, now }: { readonly isDryRun: boolean; readonly now: Date },
): Promise<RedrivenBatch> {
  const { items, nextCursor } = await listFailedRuns(models, clientId, span, page, 1);
  const callable = items.filter(({ operation }) => operation?.status === "active");
  let redriven = 0;
  if (!isDryRun) {
    for (const [operationId, runs] of Map.groupBy(callable, ({ run }) => run.operation_id)) {
      const maxAttempts = runs[0]?.operation?.max_attempts ?? 1;
      const { modifiedCount } = await collectionOf(models.runs).updateMany(
        { _id: { $in: runs.map(({ run }) => run._id) }, operation_id: operationId, state: "failed" },
        {
          $set: { state: "pending", claimable_at: now, tries_made: 0, tries_left: maxAttempts },
          $unset: { error: "", claim: "" },
        },
      );
      redriven += modifiedCount;
    }
  }
  const skipped = items.length - (isDryRun ? callable.length : redriven);
  return { matched: items.length, redriven, skipped, nextCursor };
}

async function findOperations(
  { operations }: ScheduleModels,
  ids: readonly string[],
): Promise<Map<string, ScheduledOperation>> {
  if (ids.length === 0) return new Map();
  const found = await operations.find({ _id: { $in: ids } }).lean<ScheduledOperationDocument[]>();
  return new Map(found.map((document) => [document._id, toScheduledOperation(document)]));
}
