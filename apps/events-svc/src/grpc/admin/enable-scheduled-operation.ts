import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { Implementation } from "@platform/service-kit/grpc/serve";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { enableOperation } from "../../store/scheduled-operations.ts";
import { found, toOperationMessage } from "./schedule-messages.ts";

/** Turns an operation on again. */
export function enableScheduledOperation(
  models: ScheduleModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService>["enableScheduledOperation"] {
  return async ({ operationId }) => {
    const operation = await enableOperation(models, operationId, clock());
    return { operation: toOperationMessage(found(operation, "scheduled operation")) };
  };
}
