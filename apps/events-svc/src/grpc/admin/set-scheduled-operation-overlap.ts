import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { setOverlap } from "../../store/scheduled-operations.ts";
import { found, readOverlap, toOperationMessage } from "./schedule-messages.ts";

/** Sets what happens to a due run of an operation while one before it is not over. */
export function setScheduledOperationOverlap(
  models: ScheduleModels,
): Implementation<typeof ScheduledOperationAdminService>["setScheduledOperationOverlap"] {
  return async ({ operationId, overlap }) => {
    const operation = await setOverlap(models, operationId, readOverlap(overlap));
    return { operation: toOperationMessage(found(operation, "scheduled operation")) };
  };
}
