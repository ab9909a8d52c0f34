import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Keyring } from "@platform/kit/process/secrets";
import type { Implementation } from "@platform/kit/rpc/server";
import type { ScheduledCallAdminService } from "@platform/proto/events/v1/scheduled_call_admin";
import { BadHeaders, type CallHeaders, readCallHeaders } from "../../domain/call-headers.ts";
import { nextDueTime, nextDueTimes } from "../../domain/cron-schedule.ts";
import type { ScheduledOperation } from "../../domain/scheduled-operation.ts";
import { setHeaders, setRate } from "../../store/call-settings.ts";
import type { ScheduleModels } from "../../store/scheduled-operation-model.ts";
import { findOperation } from "../../store/scheduled-operations.ts";
import { invokeOnce } from "../../store/scheduled-runs.ts";
import { found, operatorError, requireEnabled, requireSchedule, toOperationMessage } from "./schedule-messages.ts";

const noun = "scheduled operation";
/** How far ahead a run may be planned: a leap year, in milliseconds. */
const aheadMsMax = 366 * 86_400_000;
const perSecondMax = 1_000;

/** The operator RPCs that configure and plan the calls of a scheduled operation. */
export function scheduledCallAdmin(
  models: ScheduleModels,
  { keyring, clock }: { readonly keyring: Keyring; readonly clock: () => Date },
): Implementation<typeof ScheduledCallAdminService> {
  const answer = (operation: ScheduledOperation | null) => ({ operation: toOperationMessage(found(operation, noun)) });
  return {
    /** Records a run for a given time; a worker executes it then. */
    runScheduledOperationAt: async ({ operationId, at: given }, call) => {
      if (given === undefined) throw operatorError("Name the time of the run.");
      const at = timestampDate(given);
      const now = clock();
      if (!(at > now)) throw operatorError("The time of the run must lie ahead; to run it now: schedules invoke.");
      if (at.getTime() - now.getTime() > aheadMsMax)
        throw operatorError("The time of the run must lie within the next 366 days.");
      const operation = requireEnabled(found(await findOperation(models, operationId), noun));
      return { invocationId: await invokeOnce(models, operation, call.correlationId, at) };
    },
    setScheduledOperationHeaders: async ({ operationId, headersJson, revision }) =>
      answer(await setHeaders(models, keyring, operationId, requireHeaders(headersJson), revision)),
    setScheduledOperationRate: async ({ operationId, perSecond, revision }) => {
      if (perSecond > perSecondMax)
        throw operatorError(`Calls in a second are 1 to ${perSecondMax.toLocaleString("en-US")}, or 0 for no limit.`);
      return answer(await setRate(models, operationId, perSecond === 0 ? null : perSecond, revision));
    },
    listDueTimes: async ({ cron, timezone }) => {
      const now = clock();
      requireSchedule({ cron, timezone }, now);
      const first = nextDueTime({ cron, timezone }, now);
      const times = first === null ? [] : nextDueTimes({ cron, timezone }, first);
      return { dueTimes: times.map((time) => timestampFromDate(time)) };
    },
  };
}

function requireHeaders(json: string): CallHeaders {
  try {
    return readCallHeaders(json);
  } catch (error) {
    if (error instanceof BadHeaders) throw operatorError(`The headers cannot be set: ${error.message}.`);
    throw error;
  }
}
