import { collectionOf } from "@platform/kit/store/documents";
import type { ScheduledOperation } from "../domain/scheduled-operation.ts";
import type { ScheduledRunDocument, ScheduleModels } from "./scheduled-operation-model.ts";

/** Maximum number of runs of one operation that wait for the run before them. Further ones are skipped. */
export const queuedMax = 100;
const operationsMax = 200;

/** What happens to a run that is due: it runs now, waits for the run before it, or is skipped. */
export type Turn = "now" | "queued" | "skipped";

/**
 * Decides whether a due run of an operation may run now although earlier ones may be in progress. Due times of an
 * operation are recorded one after the other, so no other run of its schedule can appear in the meantime. If a run
 * ends in the meantime, the result is only more cautious than necessary.
 */
export async function turnOf(models: ScheduleModels, operation: ScheduledOperation, due: Date): Promise<Turn> {
  if (operation.overlap === "allow") return "now";
  // Queued runs are counted first: a queued run that is released in between is then found among the unfinished ones.
  const queued = await models.runs.countDocuments({ queued: true, operation_id: operation.id });
  if (queued === 0 && !(await isBusy(models, operation.project_client_id, operation.id, due))) return "now";
  return operation.overlap === "queue" && queued < queuedMax ? "queued" : "skipped";
}

/**
 * Returns whether an operation has an unfinished run that is not queued. Calls of subscriptions do not count. Runs
 * that are planned for a later time do not count either, so that a run of next week does not delay those before it.
 */
async function isBusy({ runs }: ScheduleModels, clientId: string, operationId: string, now: Date): Promise<boolean> {
  const run = await runs
    .findOne(
      {
        project_client_id: clientId,
        operation_id: operationId,
        claimable_at: { $exists: true },
        scheduled_for: { $lte: now },
        subscription_id: { $exists: false },
      },
      { _id: 1 },
    )
    .lean();
  return run !== null;
}

/**
 * Makes the first queued run of an operation claimable if no earlier run is unfinished. The queued run is read before
 * the others, and the write that releases it is conditional. Therefore two runs are never released at the same time,
 * however many callers do this concurrently.
 * @returns whether a run has become claimable
 */
export async function releaseQueued(models: ScheduleModels, operationId: string, now: Date): Promise<boolean> {
  const first = await models.runs
    .findOne({ queued: true, operation_id: operationId }, { project_client_id: 1 })
    .sort({ due_at: 1 })
    .lean<Pick<ScheduledRunDocument, "_id" | "project_client_id"> | null>();
  if (first === null || (await isBusy(models, first.project_client_id, operationId, now))) return false;
  const { modifiedCount } = await collectionOf(models.runs).updateOne(
    { _id: first._id, queued: true },
    {
      $set: { state: "pending", claimable_at: now },
      $unset: { queued: "" },
    },
  );
  return modifiedCount === 1;
}

/**
 * Releases the first queued run of every operation that has queued runs. This is needed if the worker that ended the
 * previous run died.
 */
export async function releaseAllQueued(models: ScheduleModels, now: Date): Promise<number> {
  let released = 0;
  for (let afterId = ""; ; ) {
    const found = await models.runs
      .find({ queued: true, operation_id: { $gt: afterId } }, { operation_id: 1 })
      .sort({ operation_id: 1 })
      .limit(operationsMax)
      .lean<Pick<ScheduledRunDocument, "operation_id">[]>();
    for (const id of new Set(found.map(({ operation_id }) => operation_id))) {
      if (await releaseQueued(models, id, now)) released += 1;
    }
    const last = found.at(-1);
    if (last === undefined || found.length < operationsMax) return released;
    afterId = last.operation_id;
  }
}
