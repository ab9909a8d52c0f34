import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import type { SubscriptionModels } from "../../store/subscriptions.ts";
import { disableScheduledOperation } from "./disable-scheduled-operation.ts";
import { enableScheduledOperation } from "./enable-scheduled-operation.ts";
import { invokeScheduledOperation } from "./invoke-scheduled-operation.ts";
import { listScheduledOperations } from "./list-scheduled-operations.ts";
import { listScheduledRuns } from "./list-scheduled-runs.ts";
import { redriveScheduledRun } from "./redrive-scheduled-run.ts";
import { setScheduledOperationCron } from "./set-scheduled-operation-cron.ts";
import { setScheduledOperationOverlap } from "./set-scheduled-operation-overlap.ts";

/** The operator RPCs of scheduled operations. */
export function scheduledOperationAdmin(
  subscriptionModels: SubscriptionModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService> {
  const models = subscriptionModels.schedule;
  return {
    listScheduledOperations: listScheduledOperations(models),
    setScheduledOperationCron: setScheduledOperationCron(models, clock),
    setScheduledOperationOverlap: setScheduledOperationOverlap(models),
    invokeScheduledOperation: invokeScheduledOperation(models, clock),
    redriveScheduledRun: redriveScheduledRun(models, clock),
    listScheduledRuns: listScheduledRuns(models),
    enableScheduledOperation: enableScheduledOperation(subscriptionModels, clock),
    disableScheduledOperation: disableScheduledOperation(models),
  };
}
