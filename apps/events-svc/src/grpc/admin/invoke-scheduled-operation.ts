import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { findOperation } from "../../store/scheduled-operations.ts";
import { invokeOnce } from "../../store/scheduled-runs.ts";
import { found, operatorError } from "./schedule-messages.ts";

/** Runs an operation once, now; a worker takes it from here. */
export function invokeScheduledOperation(
  models: ScheduleModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService>["invokeScheduledOperation"] {
  return async ({ operationId }, call) => {
    const operation = found(await findOperation(models, operationId), "scheduled operation");
    if (operation.status === "disabled") {
      throw operatorError("The operation is disabled; enable it first: schedules enable --operation ID.");
    }
    return { invocationId: await invokeOnce(models, operation, call.correlationId, clock()) };
  };
}
