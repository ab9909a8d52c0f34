import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { findOperation } from "../../store/scheduled-operations.ts";
import { findRun, redriveRun } from "../../store/scheduled-runs.ts";
import { found, operatorError } from "./schedule-messages.ts";

/** Runs a failed, skipped or deferred run again. */
export function redriveScheduledRun(
  models: ScheduleModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService>["redriveScheduledRun"] {
  return async ({ invocationId }) => {
    const run = found(await findRun(models, invocationId), "invocation");
    const operation = found(await findOperation(models, run.operation_id), "scheduled operation");
    if (operation.status === "disabled") {
      throw operatorError("The operation is disabled; enable it first: schedules enable --operation ID.");
    }
    if (!(await redriveRun(models, run, operation.max_attempts, clock()))) {
      throw operatorError("Only a failed, skipped or deferred run can be run again.");
    }
    return { invocationId };
  };
}
