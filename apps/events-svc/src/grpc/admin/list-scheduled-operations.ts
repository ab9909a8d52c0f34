import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { listOperations } from "../../store/scheduled-operations.ts";
import { toOperationMessage } from "./schedule-messages.ts";

/** The operations of a client. */
export function listScheduledOperations(
  models: ScheduleModels,
): Implementation<typeof ScheduledOperationAdminService>["listScheduledOperations"] {
  return async ({ projectClientId }) => ({
    operations: (await listOperations(models, projectClientId)).map(toOperationMessage),
  });
}
