import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { findOperation } from "../../store/scheduled-operations.ts";
import { listRuns } from "../../store/scheduled-runs.ts";
import { found, toRunMessage } from "./schedule-messages.ts";

const runsMax = 1_000;

/** The runs of an operation, newest first. */
export function listScheduledRuns(
  models: ScheduleModels,
): Implementation<typeof ScheduledOperationAdminService>["listScheduledRuns"] {
  return async ({ operationId, limit }) => {
    const operation = found(await findOperation(models, operationId), "scheduled operation");
    const count = limit === 0 ? 100 : Math.min(limit, runsMax);
    return { runs: (await listRuns(models, operation.project_client_id, operation.id, count)).map(toRunMessage) };
  };
}
