import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { isServiceError } from "@platform/kit/rpc/errors";
import { type HtmlValue, html } from "@platform/kit/web/http";
import type { ScheduledOperation } from "@platform/proto/events/v1/events_admin";
import { ScheduledCallAdminService } from "@platform/proto/events/v1/scheduled_call_admin";
import { statusOf } from "../page-problem.ts";
import { table } from "../pages/elements.ts";
import { icon } from "../pages/icon.ts";
import type { Visit } from "../visit.ts";
import { wallClock } from "./wall-clock.ts";

/** Renders the next due times of a schedule, in its time zone and in UTC. */
export function dueTimesTable(times: readonly Timestamp[], timezone: string, empty: string): HtmlValue {
  const rows = times.map((time) => {
    const at = timestampDate(time);
    return [wallClock(at, timezone) ?? "", wallClock(at, "UTC") ?? ""];
  });
  return table("Next due times", [timezone || "Time zone", "UTC"], rows, empty);
}

/** Renders the next due times of the schedule that is typed into a form, or else of the current schedule. */
export async function typedDueTimes(visit: Visit, operation: ScheduledOperation): Promise<HtmlValue> {
  const cron = visit.field("cron") || (operation.cron ?? "");
  const timezone = visit.field("timezone") || (operation.timezone ?? "");
  if (cron === "" || timezone === "") return null;
  try {
    const { projectClientId } = operation;
    const request = { cron, timezone, projectClientId };
    const { dueTimes } = await visit.ask(ScheduledCallAdminService.method.listDueTimes, request);
    return html`<h3>Next due times</h3>${dueTimesTable(dueTimes, timezone, "This schedule is never due.")}`;
  } catch (error) {
    if (!isServiceError(error) || statusOf(error) !== 422) throw error;
    return html`<p class="alert alert-danger" role="alert">${icon("alert-triangle")} ${error.message}</p>`;
  }
}
