import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { requests as table } from "@platform/contracts/operator/requests";
import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  RequestLogAdminService,
  type SummarizedMinute,
  type SummarizeRequestsResponse,
} from "@platform/proto/identity/v1/request_log_admin";
import { countOf, section, timeOf } from "../pages/elements.ts";
import { byHour, figure, lastHours } from "../pages/figure.ts";
import { screenOf } from "../resource-screen.ts";
import type { Filters, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const plotHours = 24;
const success = "ok";

/** The list for a single project, because the plot and the text about gaps on the page concern one project. */
const ofOneClient = {
  ...table,
  operations: table.operations.map((operation) => ({
    ...operation,
    fields: operation.fields.map((field) => (field.offers === "clients" ? { ...field, isRequired: true } : field)),
  })),
};

/** Renders rejected and failed requests of a day by code, and the gaps in the log. */
async function byCode(visit: Visit, { client = "" }: Filters): Promise<HtmlValue> {
  const hours = lastHours(plotHours);
  const summary = await visit.ask(RequestLogAdminService.method.summarizeRequests, {
    projectClientId: client,
    since: timestampFromDate(hours[0] ?? new Date()),
  });
  const counts = summary.minutes.flatMap(({ at, codes }) =>
    Object.entries(codes)
      .filter(([code]) => code !== success)
      .map(([code, count]) => ({ at, code, count })),
  );
  return section(
    "Rejected and failed requests",
    await figure({
      isWide: true,
      title: `Rejected and failed requests in the last ${plotHours} hours, by code`,
      unit: "requests",
      xTitle: "hour (UTC)",
      kind: "bar",
      series: byHour(
        counts,
        hours,
        ({ at }) => (at === undefined ? null : timestampDate(at)),
        ({ code }) => code,
        ({ count }) => count,
      ),
    }),
    gaps(summary),
  );
}

/** Renders warnings about missing entries, on the page where people would look for these entries. */
function gaps({ minutes, unreported }: SummarizeRequestsResponse): HtmlValue {
  const dropped = minutes.reduce((sum: number, minute: SummarizedMinute) => sum + minute.dropped, 0);
  return html`${dropped > 0 && html`<p class="alert alert-warning">${countOf(dropped)} requests of the last ${plotHours} hours are missing from the log, because a gateway logs only a limited number per second.</p>`}
${unreported.map(
  ({ since }) =>
    html`<p class="alert alert-warning">A gateway process ended before it sent its last report. Some requests that it answered after ${timeOf(since)} are missing.</p>`,
)}`;
}

export const requests: Screen = screenOf(ofOneClient, { plots: byCode });
