import { endpoints as table } from "@platform/contracts/operator/endpoints";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import {
  EndpointAdminService,
  type GetEndpointResponse,
  type OperatorEndpoint,
} from "@platform/proto/notify/v1/endpoint_admin";
import { actionLinks } from "../action.ts";
import { clientFields } from "../list.ts";
import { idLink, isoOf, section, stateOf, table as tableHtml, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Filters, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { changesFigure, historyPart } from "./endpoint-history.ts";

const admin = EndpointAdminService.method;
const plotDays = 30;
const plotRowsMax = 1_000;

const consentsOf = ({ consents }: OperatorEndpoint): string =>
  consents.map(({ purpose, granted }) => `${purpose}: ${granted ? "granted" : "withdrawn"}`).join(", ");

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
  const restore = (screen.actions ?? []).filter(({ method }) => method === admin.restoreConsent);
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
  tableHtml(
    "Latest deliveries to this endpoint",
    ["Delivery", "Status", "Error", "Accepted"],
    deliveries.map((delivery) => [
      idLink("/deliveries", delivery.id),
      stateOf(delivery.status),
      delivery.lastErrorCode,
      timeOf(delivery.createdAt),
    ]),
    "There are no deliveries to this endpoint.",
  ),
  html`<p><a href="/deliveries?client=${endpoint.projectClientId}&amp;endpoint=${endpoint.id}">All deliveries to this endpoint</a></p>`,
)}`;
}

/** The form uses POST, so that no address is in a URL. It reveals what it finds, so it requires a reason. */
export const find: Action = {
  path: "/endpoints/find",
  title: "Find by address",
  button: "Find",
  method: admin.findEndpoints,
  isReveal: true,
  describe: async (visit) => ({
    crumbs: [["Endpoints and consent", `/endpoints?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Shows the project's endpoints of all channels that have this address. The search is recorded.</p>`,
  }),
  fields: async (visit) => [
    ...(await clientFields(visit, visit.field("client") || visit.query("client"))),
    {
      name: "address",
      label: "Address",
      hint: "An email address, a device token, a LINE user ID, or the JSON of a PushSubscription.",
      isRequired: true,
    },
  ],
  run: async (visit, options) => {
    const { endpoints } = await visit.ask(
      admin.findEndpoints,
      { projectClientId: visit.field("client"), address: visit.field("address"), reveal: true },
      options,
    );
    return {
      title: "Endpoints with this address",
      crumbs: [["Endpoints and consent", `/endpoints?client=${encodeURIComponent(visit.field("client"))}`]],
      body: html`<section aria-label="Found">${tableHtml(
        "Endpoints with this address",
        ["Endpoint", "Channel", "Status", "Address", "Consent", "Verified"],
        endpoints.map((endpoint) => [
          idLink("/endpoints", endpoint.id, undefined, endpoint.projectClientId),
          endpoint.channel,
          stateOf(endpoint.status),
          endpoint.address ?? endpoint.addressHint,
          consentsOf(endpoint),
          timeOf(endpoint.verifiedAt),
        ]),
        "This project has no endpoint with this address.",
      )}</section>`,
    };
  },
};

const screen = screenOf(table, {
  above: (visit, { client = "" }) => actionLinks(visit, [find], "", `?client=${encodeURIComponent(client)}`),
  plots,
  show: endpointPart,
});

export const endpoints: Screen = { ...screen, actions: [find, ...(screen.actions ?? [])] };
