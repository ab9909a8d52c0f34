import { defined } from "@platform/kit/process/fields";
import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduledOperation } from "../../domain/scheduled-operation.ts";
import {
  changeSchedule,
  disableOperation,
  enableOperation,
  findOperation,
  listOperations,
} from "../../store/scheduled-operations.ts";
import { findRun, invokeOnce, listRuns, redriveRun } from "../../store/scheduled-runs.ts";
import { resumeEventRunsOf, type SubscriptionModels } from "../../store/subscriptions.ts";
import {
  found,
  operatorError,
  readOverlap,
  requireEnabled,
  requireSchedule,
  toOperationMessage,
  toRunMessage,
} from "./schedule-messages.ts";

const runsMax = 1_000;

/** The operator RPCs of scheduled operations. */
export function scheduledOperationAdmin(
  subscriptionModels: SubscriptionModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService> {
  const models = subscriptionModels.schedule;
  const answer = (operation: ScheduledOperation | null) => ({ operation: toOperationMessage(found(operation, noun)) });
  return {
    listScheduledOperations: async ({ projectClientId }) => ({
      operations: (await listOperations(models, projectClientId)).map(toOperationMessage),
    }),
    getScheduledOperation: async ({ operationId }) => answer(await findOperation(models, operationId)),
    setScheduledOperationCron: async ({ operationId, cron, timezone, overlap, revision }) => {
      const now = clock();
      const policy = overlap === undefined ? {} : { overlap: readOverlap(overlap) };
      requireSchedule({ cron, timezone }, now);
      const change = { schedule: { cron, timezone }, ...policy, ...defined({ revision }) };
      return answer(await changeSchedule(models, operationId, change, now));
    },
    /** Sets what happens to a run of an operation that is due while the previous one is in progress. */
    setScheduledOperationOverlap: async ({ operationId, overlap, revision }) => {
      const change = { overlap: readOverlap(overlap), ...defined({ revision }) };
      return answer(await changeSchedule(models, operationId, change, clock()));
    },
    /** Runs an operation once, now. A worker executes the run. */
    invokeScheduledOperation: async ({ operationId }, call) => {
      const operation = requireEnabled(found(await findOperation(models, operationId), noun));
      return { invocationId: await invokeOnce(models, operation, call.correlationId, clock()) };
    },
    /** Runs a failed, skipped or deferred run again. */
    redriveScheduledRun: async ({ invocationId }) => {
      const run = found(await findRun(models, invocationId), "invocation");
      const operation = requireEnabled(found(await findOperation(models, run.operation_id), noun));
      if (!(await redriveRun(models, run, operation.max_attempts, clock()))) {
        throw operatorError("Only a failed, skipped or deferred run can be run again.");
      }
      return { invocationId };
    },
    /** The runs of an operation, newest first. */
    listScheduledRuns: async ({ operationId, limit }) => {
      const operation = found(await findOperation(models, operationId), noun);
      const count = limit === 0 ? 100 : Math.min(limit, runsMax);
      return { runs: (await listRuns(models, operation.project_client_id, operation.id, count)).map(toRunMessage) };
    },
    /** Enables an operation again, and thereby its subscriptions. */
    enableScheduledOperation: async ({ operationId }) => {
      const now = clock();
      const operation = found(await enableOperation(models, operationId, now), noun);
      await resumeEventRunsOf(subscriptionModels, operationId, now);
      return answer(operation);
    },
    /** Disables an operation. Its waiting runs are skipped when they become due. */
    disableScheduledOperation: async ({ operationId }) => answer(await disableOperation(models, operationId)),
  };
}

const noun = "scheduled operation";
