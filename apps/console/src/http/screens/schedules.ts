import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  type ScheduledOperation,
  ScheduledOperationAdminService,
  type ScheduledRun,
} from "@platform/proto/events/v1/events_admin";
import { type FailedRun, ScheduledRunAdminService } from "@platform/proto/events/v1/scheduled_run_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts, idLink, isoOf, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import type { Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import {
  disable,
  enable,
  invoke,
  redriveAll,
  redriveOne,
  rotateSecret,
  setCron,
  setOverlap,
} from "./schedule-actions.ts";

const admin = ScheduledOperationAdminService.method;
const plotDays = 14;
const runsShown = 200;

const tabs = (clientId: string): HtmlValue =>
  html`<p class="actions"><a class="button second" href="/schedules?client=${clientId}">Operations</a>
<a class="button second" href="/schedules/failed?client=${clientId}">Failed runs</a></p>`;

const operations: Listing<ScheduledOperation> = {
  path: "/schedules",
  title: "Schedules",
  method: admin.listScheduledOperations,
  isOfClient: true,
  columns: [
    { key: "id", title: "Operation", value: ({ id }) => id, cell: ({ id }) => idLink("/schedules", id) },
    { key: "name", title: "Name", value: ({ name }) => name },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
    { key: "cron", title: "Schedule", value: ({ cron }) => cron ?? null },
    { key: "timezone", title: "Time zone", value: ({ timezone }) => timezone ?? null },
    {
      key: "next_due_at",
      title: "Due",
      value: ({ nextDueAt }) => isoOf(nextDueAt),
      cell: ({ nextDueAt }) => timeOf(nextDueAt),
    },
    { key: "url", title: "URL", value: ({ url }) => url },
  ],
  read: async (visit, filters) => {
    const { operations: rows } = await visit.ask(admin.listScheduledOperations, {
      projectClientId: filters.client ?? "",
    });
    return { rows, nextCursor: "" };
  },
  empty: html`This client has registered no operation. A project registers one by <code>POST /api/v1/scheduled-operations</code>.`,
  above: async (_visit, filters) => tabs(filters.client ?? ""),
};

const failed: Listing<FailedRun> = {
  path: "/schedules/failed",
  title: "Failed runs",
  method: ScheduledRunAdminService.method.listFailedRuns,
  isOfClient: false,
  crumbs: [["Schedules", "/schedules"]],
  filters: [{ name: "client", label: "Project Client id", hint: "Empty: all" }, sinceField()],
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
      key: "project_client_id",
      title: "Project Client",
      value: ({ projectClientId }) => projectClientId,
      cell: ({ projectClientId }) => idLink("/clients", projectClientId),
    },
    { key: "operation_id", title: "Operation id", value: ({ operationId }) => operationId },
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
  empty: "No run has failed.",
  above: async (visit, filters) =>
    html`${tabs(filters.client ?? "")}${actionLinks(visit, filters.client ? [redriveAll] : [], "", `?${new URLSearchParams({ client: filters.client ?? "", since: filters.since || "24h" })}`)}`,
};

/** There is no RPC for one operation: it is looked for among those of its client, or of all clients. */
export async function readOperation(visit: Visit): Promise<ScheduledOperation & { readonly clientId: string }> {
  const id = visit.param("id");
  const given = visit.query("client");
  const ids = given === "" ? (await visit.projectClients()).map((client) => client.id) : [given];
  for (const clientId of ids) {
    const { operations: all } = await visit.ask(admin.listScheduledOperations, { projectClientId: clientId });
    const found = all.find((operation) => operation.id === id);
    if (found !== undefined) return { ...found, clientId };
  }
  throw new PageProblem(404, "There is nothing here", "There is no such operation.");
}

async function operationPage(visit: Visit) {
  const operation = await readOperation(visit);
  const { runs } = await visit.ask(admin.listScheduledRuns, { operationId: operation.id, limit: runsShown });
  const days = lastDays(plotDays);
  const dateOf = ({ scheduledFor }: ScheduledRun): Date | null =>
    scheduledFor === undefined ? null : timestampDate(scheduledFor);
  const query = `?client=${operation.clientId}`;
  return {
    title: operation.name,
    crumbs: [["Schedules", `/schedules?client=${operation.clientId}`]] as [string, string][],
    clientId: operation.clientId,
    body: html`${actionLinks(visit, [setCron, setOverlap, invoke, rotateSecret, operation.status === "active" ? disable : enable], operation.id, query)}
<section aria-label="Operation">${facts([
      ["Id", copyable(operation.id)],
      ["Status", stateOf(operation.status)],
      ["URL", html`<code>${operation.url}</code>`],
      [
        "Schedule",
        operation.cron === undefined
          ? "none; it runs when it is invoked"
          : html`<code>${operation.cron}</code> ${operation.timezone}`,
      ],
      ["Due", timeOf(operation.nextDueAt)],
      ["A run that is due meanwhile", operation.overlap],
      ["Attempts", operation.maxAttempts],
      ["Project Client", idLink("/clients", operation.clientId)],
    ])}</section>
${section(
  "Latest runs",
  strip(runs),
  html`<div class="grid">${await Promise.all([
    figure({
      title: `Runs of ${plotDays} days by result`,
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
  table(
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
          ? actionLinks(visit, [redriveOne], run.id, `?operation=${operation.id}&client=${operation.clientId}`)
          : null,
      ];
    }),
    "It has not run yet.",
  ),
)}`,
  };
}

/** The latest runs as a strip, the oldest first; the table below says the same. */
function strip(runs: readonly ScheduledRun[]): HtmlValue {
  if (runs.length === 0) return null;
  const tones: Readonly<Record<string, string>> = {
    succeeded: "good",
    failed: "bad",
    pending: "none",
    running: "none",
  };
  const ok = runs.filter(({ status }) => status === "succeeded").length;
  return html`<div class="days" role="img" aria-label="${ok} of the latest ${runs.length} runs succeeded">${[...runs]
    .reverse()
    .map(({ status }) => html`<span class="${tones[status] ?? "wait"}"></span>`)}</div>`;
}

/** How long after its time each run was first tried. */
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

export const schedules: Screen = {
  lists: [operations, failed],
  actions: [setCron, setOverlap, rotateSecret, invoke, enable, disable, redriveOne, redriveAll],
  views: [{ path: "/schedules/:id", method: admin.listScheduledRuns, show: operationPage }],
};
