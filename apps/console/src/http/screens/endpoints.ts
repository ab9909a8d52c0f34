import { type HtmlValue, html } from "@platform/kit/web/http";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { EndpointAdminService, type OperatorEndpoint } from "@platform/proto/notify/v1/endpoint_admin";
import { actionLinks } from "../action.ts";
import { clientField } from "../list.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts, idLink, isoOf, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import type { Action, Answer, Filters, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { channels } from "./channels.ts";
import { changesFigure, historyPart } from "./endpoint-history.ts";

const admin = EndpointAdminService.method;
const states = ["pending", "verified", "verification_failed", "verification_locked", "revoked"];
const plotDays = 30;
const plotRowsMax = 1_000;

const consentsOf = ({ consents }: OperatorEndpoint): string =>
  consents.map(({ purpose, granted }) => `${purpose}: ${granted ? "granted" : "withdrawn"}`).join(", ");

const list: Listing<OperatorEndpoint> = {
  path: "/endpoints",
  title: "Endpoints and consent",
  method: admin.listEndpoints,
  isOfClient: true,
  filters: [
    { name: "channel", label: "Channel", choices: choicesOf(channels, "all") },
    { name: "status", label: "Status", choices: choicesOf(states, "all") },
  ],
  columns: [
    {
      key: "id",
      title: "Endpoint",
      value: ({ id }) => id,
      cell: ({ id, projectClientId }) => idLink("/endpoints", id, undefined, projectClientId),
    },
    { key: "channel", title: "Channel", value: ({ channel }) => channel },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOf(status) },
    { key: "address_hint", title: "Address", value: ({ addressHint }) => addressHint },
    { key: "consents", title: "Consent", value: consentsOf },
    {
      key: "created_at",
      title: "Registered",
      value: ({ createdAt }) => isoOf(createdAt),
      cell: ({ createdAt }) => timeOf(createdAt),
    },
    {
      key: "verified_at",
      title: "Verified",
      value: ({ verifiedAt }) => isoOf(verifiedAt),
      cell: ({ verifiedAt }) => timeOf(verifiedAt),
    },
    { key: "last_error_code", title: "Error", value: ({ lastErrorCode }) => lastErrorCode ?? null },
  ],
  read: async (visit, filters, page) => {
    const { endpoints, nextCursor } = await visit.ask(admin.listEndpoints, {
      projectClientId: filters.client ?? "",
      channel: filters.channel ?? "",
      status: filters.status ?? "",
      ...page,
    });
    return { rows: endpoints, nextCursor };
  },
  empty: html`No endpoint is registered. A project registers one by <code>POST /api/v1/delivery-endpoints</code>.`,
  above: async (visit, filters) =>
    actionLinks(visit, [find], "", `?client=${encodeURIComponent(filters.client ?? "")}`),
  plots,
};

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
    ({ status }) => (status === "revoked" ? "registered, now revoked" : "registered"),
  );
  const common = { unit: "endpoints", xTitle: "day (UTC)", kind: "bar" } as const;
  return section(
    `The last ${plotDays} days`,
    html`<div class="grid">${await figure({ ...common, title: "Registered by day", series: registered })}${await changesFigure(visit, filters.client ?? "")}</div>`,
  );
}

async function readEndpoint(visit: Visit): Promise<OperatorEndpoint> {
  return (await readWithHistory(visit)).endpoint;
}

async function readWithHistory(visit: Visit) {
  const { endpoint, history } = await visit.ask(admin.getEndpoint, { endpointId: visit.param("id") });
  if (endpoint === undefined) throw new PageProblem(404, "There is nothing here", "There is no such endpoint.");
  return { endpoint, history };
}

const crumbsOf = (endpoint: OperatorEndpoint): [string, string][] => [
  ["Endpoints and consent", `/endpoints?client=${endpoint.projectClientId}`],
  [`Endpoint ${endpoint.id}`, `/endpoints/${endpoint.id}?client=${endpoint.projectClientId}`],
];

async function endpointPage(visit: Visit): Promise<Answer> {
  const { endpoint, history } = await readWithHistory(visit);
  const { deliveries } = await visit.ask(DeliveryAdminService.method.listDeliveries, {
    filter: { projectClientId: endpoint.projectClientId, endpointId: endpoint.id },
    limit: 20,
  });
  const query = `?client=${endpoint.projectClientId}`;
  return {
    title: `Endpoint ${endpoint.id}`,
    crumbs: crumbsOf(endpoint).slice(0, 1),
    clientId: endpoint.projectClientId,
    body: html`${endpoint.status !== "revoked" && actionLinks(visit, [revoke], endpoint.id)}
<section aria-label="Endpoint">${facts([
      ["Id", copyable(endpoint.id)],
      ["Status", stateOf(endpoint.status)],
      ["Channel", endpoint.channel],
      ["Address", endpoint.address === undefined ? endpoint.addressHint : copyable(endpoint.address)],
      ["Project Client", idLink("/clients", endpoint.projectClientId)],
      ["Registered", timeOf(endpoint.createdAt)],
      ["Verified", timeOf(endpoint.verifiedAt)],
      ["Last error", endpoint.lastErrorCode],
    ])}</section>
${section(
  "Consent",
  table(
    "Consent by purpose",
    ["Purpose", "Consent", "Actions"],
    endpoint.consents.map(({ purpose, granted }) => [
      purpose,
      stateOf(granted ? "granted" : "withdrawn"),
      granted ? null : actionLinks(visit, [restore], endpoint.id, `${query}&purpose=${encodeURIComponent(purpose)}`),
    ]),
    "Its owner has decided on no purpose.",
  ),
)}
${historyPart(history)}
${section(
  "Latest deliveries",
  table(
    "Latest deliveries to it",
    ["Delivery", "Status", "Error", "Accepted"],
    deliveries.map((delivery) => [
      idLink("/deliveries", delivery.id),
      stateOf(delivery.status),
      delivery.lastErrorCode,
      timeOf(delivery.createdAt),
    ]),
    "Nothing was sent to it.",
  ),
  html`<p><a href="/activity?client=${endpoint.projectClientId}&amp;endpoint=${endpoint.id}">All deliveries to it</a></p>`,
)}`,
  };
}

const revoke: Action = {
  path: "/endpoints/:id/revoke",
  title: "Revoke",
  button: "Revoke the endpoint",
  isDanger: true,
  method: admin.revokeEndpoint,
  describe: async (visit) => {
    const endpoint = await readEndpoint(visit);
    const granted = endpoint.consents.filter((consent) => consent.granted).map(({ purpose }) => purpose);
    return {
      crumbs: crumbsOf(endpoint),
      what: html`<p>Nothing more is sent to ${endpoint.addressHint} (${endpoint.channel}) for this client, not even what is queued. Its consents are withdrawn: ${
        granted.join(", ") || "it has none"
      }. The project may register the address again, which takes a new verification.</p>`,
    };
  },
  run: async (visit, options) => {
    const { endpoint } = await visit.ask(admin.revokeEndpoint, { endpointId: visit.param("id") }, options);
    return {
      redirect: `/endpoints/${visit.param("id")}?client=${endpoint?.projectClientId ?? ""}`,
      notice: "The endpoint is revoked.",
    };
  },
};

const restore: Action = {
  path: "/endpoints/:id/restore-consent",
  title: "Give consent back",
  button: "Give consent back",
  method: admin.restoreConsent,
  describe: async (visit) => {
    const endpoint = await readEndpoint(visit);
    return {
      crumbs: crumbsOf(endpoint),
      what: html`<p>Consent of ${endpoint.addressHint} for <strong>${visit.query("purpose")}</strong> is granted again. Do this only when the owner has asked for it;
say how in the reason.</p>`,
    };
  },
  run: async (visit, options) => {
    const { endpoint } = await visit.ask(
      admin.restoreConsent,
      { endpointId: visit.param("id"), purpose: visit.query("purpose") },
      options,
    );
    return {
      redirect: `/endpoints/${visit.param("id")}?client=${endpoint?.projectClientId ?? ""}`,
      notice: "Consent is granted again.",
    };
  },
};

/** By POST, so that no address is in a URL. It reveals what it finds, so it takes a reason. */
export const find: Action = {
  path: "/endpoints/find",
  title: "Find by address",
  button: "Find",
  method: admin.findEndpoints,
  isReveal: true,
  describe: async (visit) => ({
    crumbs: [["Endpoints and consent", `/endpoints?client=${encodeURIComponent(visit.query("client"))}`]],
    what: html`<p>Every endpoint of the client with this address is shown, of every channel. That you have looked is recorded.</p>`,
  }),
  fields: async (visit) => [
    await clientField(visit, visit.field("client") || visit.query("client")),
    {
      name: "address",
      label: "Address",
      hint: "A mail address, a provider's token, a LINE user ID, or the JSON of a PushSubscription.",
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
      body: html`<section aria-label="Found">${table(
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
        "This client has no endpoint with this address.",
      )}</section>`,
    };
  },
};

export const endpoints: Screen = {
  lists: [list],
  actions: [find, revoke, restore],
  views: [
    {
      path: "/endpoints/:id",
      method: admin.getEndpoint,
      show: endpointPage,
    },
  ],
};
