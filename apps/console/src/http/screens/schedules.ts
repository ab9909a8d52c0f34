import { timestampDate } from "@bufbuild/protobuf/wkt";
import { schedules as table } from "@platform/contracts/operator/schedules";
import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  type ScheduledOperation,
  ScheduledOperationAdminService,
  type ScheduledRun,
} from "@platform/proto/events/v1/events_admin";
import { type FailedRun, ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import { actionLinks } from "../action.ts";
import { copyable, idLink, isoOf, section, stateOf, table as tableOf, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { dueTimesTable, typedDueTimes } from "./due-times.ts";
import { invoke, redriveAll, redriveOne, rotateSecret } from "./schedule-actions.ts";

const admin = ScheduledOperationAdminService.method;
const plotDays = 14;
const runsShown = 200;

const tabs = (clientId: string): HtmlValue => {
  const query = clientId === "" ? "" : `?client=${encodeURIComponent(clientId)}`;
  return html`<p class="btn-list"><a class="btn" href="/schedules${query}">Operations</a>
<a class="btn" href="/schedules/failed${query}">Failed runs</a></p>`;
};

const failed: Listing<FailedRun> = {
  path: "/schedules/failed",
  title: "Failed runs",
  method: ScheduledRunAdminService.method.listFailedRuns,
  isOfClient: false,
  clientIdOf: ({ projectClientId }) => projectClientId,
  crumbs: [["Schedules", "/schedules"]],
  filters: [sinceField()],
  columns: [
    {
      key: "id",
      title: "Run",
      value: ({ id }) => id,
      cell: ({ id }) => copyable(id, html`<code>…${id.slice(-8)}</code>`),
    },
    {
      key: "operation",
      title: "Operation",
      value: ({ operationName }) => operationName,
      cell: ({ operationId, operationName, projectClientId }) =>
        idLink("/schedules", operationId, operationName || undefined, projectClientId),
    },
    {
      key: "operation_id",
      title: "Operation id",
      value: ({ operationId }) => operationId,
      cell: ({ operationId }) => copyable(operationId),
    },
    {
      key: "scheduled_for",
      title: "Scheduled for",
      value: ({ scheduledFor }) => isoOf(scheduledFor),
      cell: ({ scheduledFor }) => timeOf(scheduledFor),
    },
    { key: "attempts", title: "Attempts", value: ({ attempts }) => attempts },
    { key: "status_code", title: "Answer", value: ({ statusCode }) => statusCode ?? null },
    { key: "error", title: "Error", value: ({ error }) => error ?? null },
  ],
  read: async (visit, filters, page) => {
    const { runs, nextCursor } = await visit.ask(ScheduledRunAdminService.method.listFailedRuns, {
      projectClientId: filters.client ?? "",
      ...sinceOf(filters.since ?? ""),
      ...page,
    });
    return { rows: runs, nextCursor };
  },
  empty: "No runs have failed.",
  above: async (visit, filters) =>
    html`${tabs(filters.client ?? "")}${actionLinks(visit, filters.client ? [redriveAll] : [], "", `?${new URLSearchParams({ client: filters.client ?? "", since: filters.since || "24h" })}`)}`,
};

/** Renders the operation with its latest runs and the available actions. */
async function operationPage(visit: Visit, operation: ScheduledOperation): Promise<HtmlValue> {
  const { runs } = await visit.ask(admin.listScheduledRuns, { operationId: operation.id, limit: runsShown });
  const days = lastDays(plotDays);
  const dateOf = ({ scheduledFor }: ScheduledRun): Date | null =>
    scheduledFor === undefined ? null : timestampDate(scheduledFor);
  return html`${actionLinks(visit, [invoke, rotateSecret], operation.id, `?client=${operation.projectClientId}`)}
${rowFacts(table, operation)}
${
  operation.cron !== undefined &&
  section(
    "Next due times",
    dueTimesTable(operation.nextDueTimes, operation.timezone ?? "", "A disabled operation has no due times."),
  )
}
${section(
  "Latest runs",
  strip(runs),
  html`<div class="grid">${await Promise.all([
    figure({
      title: `Runs in the last ${plotDays} days, by result`,
      unit: "runs",
      xTitle: "day (UTC)",
      kind: "bar",
      series: byDay(runs, days, dateOf, ({ status }) => status),
    }),
    figure(latenessOf(runs)),
  ])}</div>`,
)}
${section(
  "Runs",
  tableOf(
    "Runs, newest first",
    ["Run", "Scheduled for", "Status", "Attempts", "Answer", "Error", "Actions"],
    runs.slice(0, 50).map((run) => {
      const last = run.attempts.at(-1);
      return [
        copyable(run.id, html`<code>…${run.id.slice(-8)}</code>`),
        timeOf(run.scheduledFor),
        stateOf(run.status),
        run.attempts.length,
        last?.statusCode,
        last?.error ?? run.error,
        ["failed", "skipped", "deferred"].includes(run.status)
          ? actionLinks(visit, [redriveOne], run.id, `?operation=${operation.id}&client=${operation.projectClientId}`)
          : null,
      ];
    }),
    "This operation has not run yet.",
  ),
)}`;
}

/** Renders the latest runs as a strip, oldest first. The table below it contains the same runs. */
function strip(runs: readonly ScheduledRun[]): HtmlValue {
  if (runs.length === 0) return null;
  const tones: Readonly<Record<string, string>> = {
    succeeded: "good",
    failed: "bad",
    pending: "none",
    running: "none",
  };
  const ok = runs.filter(({ status }) => status === "succeeded").length;
  return html`<div class="days d-flex py-2" role="img" aria-label="${ok} of the latest ${runs.length} runs succeeded">${[
    ...runs,
  ]
    .reverse()
    .map(({ status }) => html`<span class="${tones[status] ?? "wait"}"></span>`)}</div>`;
}

/** Returns how long after its scheduled time each run was first attempted. */
function latenessOf(runs: readonly ScheduledRun[]) {
  const points = runs.flatMap(({ scheduledFor, attempts }) => {
    const at = attempts[0]?.at;
    if (scheduledFor === undefined || at === undefined) return [];
    const due = timestampDate(scheduledFor);
    return [{ x: due, y: Math.max(0, timestampDate(at).getTime() - due.getTime()) / 1000 }];
  });
  return {
    title: "Lateness of the first attempt",
    unit: "seconds",
    xTitle: "scheduled for (UTC)",
    kind: "line",
    series: [{ name: "lateness", points }],
  } as const;
}

const screen = screenOf(table, {
  above: (_visit, { client = "" }) => tabs(client),
  show: operationPage,
  previews: { "set-cron": { button: "Show the next due times", show: typedDueTimes } },
});

export const schedules: Screen = {
  ...screen,
  lists: [...(screen.lists ?? []), failed],
  actions: [...(screen.actions ?? []), rotateSecret, invoke, redriveOne, redriveAll],
};
