import { defined } from "@platform/kit/process/fields";
import { collectionOf, type Page, type PageRequest, readPage, type TimeSpan } from "@platform/kit/store/documents";
import type { ScheduledOperation } from "../domain/scheduled-operation.ts";
import {
  type ScheduledOperationDocument,
  type ScheduledRunDocument,
  type ScheduleModels,
  toScheduledOperation,
} from "./scheduled-operation-model.ts";

/** A failed run with its operation, which is null if it no longer exists. */
export type FailedRun = { readonly run: ScheduledRunDocument; readonly operation: ScheduledOperation | null };

/** Result of one batch of repeated runs. */
export type RedrivenBatch = {
  readonly matched: number;
  readonly redriven: number;
  readonly skipped: number;
  readonly nextCursor: string;
};

/** A page of the failed runs of one client, or of all clients if it is null; newest first. */
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
    { order: { by: "scheduled_for", direction }, span },
  );
  const operations = await findOperations(models, [...new Set(items.map((run) => run.operation_id))]);
  return {
    items: items.map((run) => ({ run, operation: operations.get(run.operation_id) ?? null })),
    nextCursor,
  };
}

/**
 * Makes one page of failed runs due again, oldest first, with a full set of attempts. The update does not change the
 * order, so each run is visited once, and a repeated page changes nothing.
 * @param isDryRun only counts
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
