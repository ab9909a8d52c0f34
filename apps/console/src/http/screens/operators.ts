import { timestampDate } from "@bufbuild/protobuf/wkt";
import { serviceNames } from "@platform/contracts/services";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { type OperatorAction, OperatorActionAdminService } from "@platform/proto/operator/v1/operator_actions";
import { copyable, idLink, isoOf, section, stateOf, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { sinceField, sinceOf } from "../pages/time-filter.ts";
import type { Filters, Listing, Rows, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const method = OperatorActionAdminService.method.listOperatorActions;
const plotDays = 30;
const plotRowsMax = 1_000;

const rpcOf = ({ rpc }: OperatorAction): string => rpc.split("/").at(-1) ?? rpc;

/**
 * Reads one page of the actions of all services. Ids sort by time, so the id of the last action is the cursor for each
 * service.
 */
async function readActions(
  visit: Visit,
  filters: Filters,
  page: { limit: number; cursor: string },
): Promise<Rows<OperatorAction>> {
  const request = {
    ...page,
    who: filters.who ?? "",
    rpc: filters.rpc ?? "",
    clientId: filters.client_id ?? "",
    correlationId: filters.correlation_id ?? "",
    ...sinceOf(filters.since ?? ""),
  };
  const pages = await Promise.all(serviceNames.map((service) => visit.ask(method, request, { service })));
  const all = pages.flatMap(({ actions }) => actions).sort((a, b) => (a.id < b.id ? 1 : -1));
  const rows = all.slice(0, page.limit);
  const isMore = all.length > page.limit || pages.some(({ nextCursor }) => nextCursor !== "");
  return { rows, nextCursor: isMore ? (rows.at(-1)?.id ?? "") : "" };
}

const list: Listing<OperatorAction> = {
  path: "/operators",
  title: "Operators",
  method,
  isOfClient: false,
  filters: [
    { name: "who", label: "Who" },
    { name: "rpc", label: "What (RPC)" },
    { name: "client_id", label: "Project id" },
    { name: "correlation_id", label: "Correlation id" },
    sinceField(),
  ],
  columns: [
    { key: "at", title: "At", value: ({ at }) => isoOf(at), cell: ({ at }) => timeOf(at) },
    {
      key: "who",
      title: "Who",
      value: ({ who }) => who,
      cell: ({ who, name }) => html`${name} <span class="text-secondary">${who}</span>`,
    },
    { key: "asked_by", title: "Asked by", value: ({ askedBy }) => askedBy ?? null },
    { key: "roles", title: "Roles", value: ({ roles }) => roles.join(" ") },
    { key: "rpc", title: "What", value: ({ rpc }) => rpc, cell: rpcOf },
    {
      key: "outcome",
      title: "Outcome",
      value: ({ outcome }) => outcome,
      cell: ({ outcome, error }) => html`${stateOf(outcome)} ${error}`,
    },
    { key: "reason", title: "Reason", value: ({ reason }) => reason ?? null },
    {
      key: "client_id",
      title: "Project",
      value: ({ clientId }) => clientId ?? null,
      cell: ({ clientId }) => idLink("/clients", clientId),
    },
    {
      key: "resource",
      title: "Resource",
      value: ({ resource }) => resource ?? null,
      cell: ({ resource }) =>
        resource === undefined
          ? null
          : html`<a class="id" href="/search?q=${encodeURIComponent(resource)}">…${resource.slice(-8)}</a>`,
    },
    {
      key: "correlation_id",
      title: "Correlation id",
      value: ({ correlationId }) => correlationId,
      cell: ({ correlationId }) => copyable(correlationId, html`<code>…${correlationId.slice(-8)}</code>`),
    },
    {
      key: "request",
      title: "Request",
      value: ({ requestJson }) => requestJson,
      cell: ({ requestJson }) =>
        html`<details><summary>Request</summary><pre tabindex="0">${requestJson}</pre></details>`,
    },
  ],
  read: readActions,
  empty: "No operator actions are recorded.",
  plots: actsByDay,
};

async function actsByDay(visit: Visit): Promise<HtmlValue> {
  const rows: OperatorAction[] = [];
  for (let cursor = ""; rows.length < plotRowsMax; ) {
    const page = await readActions(visit, { since: `${plotDays}d` }, { limit: 200, cursor });
    rows.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  const at = ({ at: time }: OperatorAction): Date | null => (time === undefined ? null : timestampDate(time));
  const title =
    rows.length < plotRowsMax
      ? `Actions in the last ${plotDays} days, by person`
      : `The latest ${plotRowsMax} actions, by person`;
  return section(
    "By day",
    await figure({
      isWide: true,
      title,
      unit: "acts",
      xTitle: "day (UTC)",
      kind: "bar",
      series: byDay(rows, lastDays(plotDays), at, ({ who }) => who),
    }),
  );
}

export const operators: Screen = { lists: [list] };
