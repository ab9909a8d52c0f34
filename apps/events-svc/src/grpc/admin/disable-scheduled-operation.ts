import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { disableOperation } from "../../store/scheduled-operations.ts";
import { found, toOperationMessage } from "./schedule-messages.ts";

/** Turns an operation off; runs that wait are skipped when their time comes. */
export function disableScheduledOperation(
  models: ScheduleModels,
): Implementation<typeof ScheduledOperationAdminService>["disableScheduledOperation"] {
  return async ({ operationId }) => {
    const operation = await disableOperation(models, operationId);
    return { operation: toOperationMessage(found(operation, "scheduled operation")) };
  };
}
