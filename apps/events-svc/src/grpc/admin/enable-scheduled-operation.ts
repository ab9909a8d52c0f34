import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { enableOperation } from "../../store/scheduled-operations.ts";
import { resumeEventRunsOf, type SubscriptionModels } from "../../store/subscriptions.ts";
import { found, toOperationMessage } from "./schedule-messages.ts";

/** Turns an operation on again, and its subscriptions with it. */
export function enableScheduledOperation(
  models: SubscriptionModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService>["enableScheduledOperation"] {
  return async ({ operationId }) => {
    const now = clock();
    const operation = found(await enableOperation(models.schedule, operationId, now), "scheduled operation");
    await resumeEventRunsOf(models, operationId, now);
    return { operation: toOperationMessage(operation) };
  };
}
