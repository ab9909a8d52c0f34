import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { BadSchedule, checkSchedule } from "../../domain/cron-schedule.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { setSchedule } from "../../store/scheduled-operations.ts";
import { found, operatorError, readOverlap, toOperationMessage } from "./schedule-messages.ts";

/** Attaches a schedule to an operation. */
export function setScheduledOperationCron(
  models: ScheduleModels,
  clock: () => Date,
): Implementation<typeof ScheduledOperationAdminService>["setScheduledOperationCron"] {
  return async ({ operationId, cron, timezone, overlap }) => {
    const now = clock();
    const policy = overlap === undefined ? {} : { overlap: readOverlap(overlap) };
    try {
      checkSchedule({ cron, timezone }, now);
    } catch (error) {
      if (error instanceof BadSchedule) throw operatorError(`${error.message}.`);
      throw error;
    }
    const operation = await setSchedule(models, operationId, { cron, timezone, ...policy }, now);
    return { operation: toOperationMessage(found(operation, "scheduled operation")) };
  };
}
