import { deliveries as deliveryTable } from "@platform/contracts/operator/deliveries";
import { endpoints as table } from "@platform/contracts/operator/endpoints";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import {
  EndpointAdminService,
  type GetEndpointResponse,
  type OperatorEndpoint,
} from "@platform/proto/notify/v1/endpoint_admin";
import { actionLinks } from "../action.ts";
import { isoOf, section, stateOf, table as tableHtml } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { rowsTable } from "../resource-row.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Filters, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { changesFigure, historyPart } from "./endpoint-history.ts";

const admin = EndpointAdminService.method;
const plotDays = 30;
const plotRowsMax = 1_000;

async function plots(visit: Visit, filters: Filters): Promise<HtmlValue> {
  const days = lastDays(plotDays);
  const rows: OperatorEndpoint[] = [];
  for (let cursor = ""; rows.length < plotRowsMax; ) {
    const page = await visit.ask(admin.listEndpoints, { projectClientId: filters.client ?? "", limit: 200, cursor });
    rows.push(...page.endpoints);
    cursor = page.nextCursor;
    if (cursor === "") break;
  }
  const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
  const registered = byDay(
    rows,
    days,
    ({ createdAt }) => dateOf(isoOf(createdAt)),
    ({ status }) => (status === "revoked" ? "registered, since revoked" : "registered"),
  );
  const common = { unit: "endpoints", xTitle: "day (UTC)", kind: "bar" } as const;
  return section(
    `The last ${plotDays} days`,
    html`<div class="grid">${await figure({ ...common, title: "Registered by day", series: registered })}${await changesFigure(visit, filters.client ?? "")}</div>`,
  );
}

async function endpointPart(
  visit: Visit,
  endpoint: OperatorEndpoint,
  { history }: GetEndpointResponse,
): Promise<HtmlValue> {
  const { deliveries } = await visit.ask(DeliveryAdminService.method.listDeliveries, {
    filter: { projectClientId: endpoint.projectClientId, endpointId: endpoint.id },
    limit: 20,
  });
  const restore = (endpoints.actions ?? []).filter(({ method }) => method === admin.restoreConsent);
  return html`${rowFacts(table, endpoint)}
${section(
  "Consent",
  tableHtml(
    "Consent by purpose",
    ["Purpose", "Consent", "Actions"],
    endpoint.consents.map(({ purpose, granted }) => [
      purpose,
      stateOf(granted ? "granted" : "withdrawn"),
      granted ? null : actionLinks(visit, restore, endpoint.id, `?purpose=${encodeURIComponent(purpose)}`),
    ]),
    "The owner has not decided on any purpose.",
  ),
)}
${historyPart(history)}
${section(
  "Latest deliveries",
  rowsTable(
    deliveryTable,
    "Latest deliveries to it",
    ["id", "status", "lastErrorCode", "createdAt"],
    deliveries,
    "Nothing was sent to it.",
  ),
  html`<p><a href="/deliveries?client=${endpoint.projectClientId}&amp;endpoint=${endpoint.id}">All deliveries to this endpoint</a></p>`,
)}`;
}

export const endpoints: Screen = screenOf(table, { plots, show: endpointPart });
