import { campaigns as campaignTable } from "@platform/contracts/operator/campaigns";
import { capitalize } from "@platform/contracts/operator/resource";
import { schedules as scheduleTable } from "@platform/contracts/operator/schedules";
import { senderProfiles as profileTable } from "@platform/contracts/operator/sender-profiles";
import { isServiceError } from "@platform/kit/rpc/errors";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { CampaignAdminService } from "@platform/proto/ads/v1/ads_admin";
import { ScheduledOperationAdminService } from "@platform/proto/events/v1/events_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import { NotifyAdminService } from "@platform/proto/notify/v1/notify_admin";
import { actionLinks } from "../action.ts";
import { copyable, facts, section, stateOf, table } from "../pages/elements.ts";
import { figure } from "../pages/figure.ts";
import type { Page } from "../pages/layout.ts";
import { amountOf, unitOf, usageByDay } from "../pages/usage.ts";
import { rowsTable } from "../resource-row.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { isRefusal, refusalsPart } from "./client-refusals.ts";
import { credentialsOf } from "./credentials.ts";
import { retentionsOf, setRetention } from "./retention.ts";

const usageDays = 30;
const plotsMax = 8;

/** Renders the page of a Project Client with all its resources. */
export async function clientPage(visit: Visit, client: ProjectClient, actions: readonly Action[]): Promise<Page> {
  const parts = [quotas, refusals, credentials, profiles, catalog, operations, campaigns, retention];
  return {
    title: client.name,
    crumbs: [["Projects", "/clients"]],
    clientId: client.id,
    body: html`${actionLinks(visit, actions, client.id)}
<section aria-label="Project">${facts([
      ["Id", copyable(client.id)],
      ["State", stateOf(client.disabled ? "disabled" : "active")],
      ["Environment", client.environment],
      ["Platform events", client.platformEvents ? "on" : "off"],
      [
        "Logged successful requests",
        client.successRatio === undefined ? "default of the environment" : `${client.successRatio * 100} %`,
      ],
      ["Return URIs", client.returnUris.map((uri) => html`<code>${uri}</code> `)],
      [
        "Related",
        html`<a href="/requests?client=${client.id}">Requests</a>, <a href="/deliveries?client=${client.id}">Deliveries</a>, <a href="/endpoints?client=${client.id}">Endpoints</a>,
<a href="/events?client=${client.id}">Events</a>, <a href="/audits?client=${client.id}">Audits</a>, <a href="/files?client=${client.id}">Files</a>,
<a href="/migrations?client=${client.id}">Migrations</a>, <a href="/brands">Brands</a>`,
      ],
    ])}</section>
${await Promise.all(parts.map((part) => orUnavailable(part(visit, client))))}`,
  };
}

/** Renders a part of a page. If its service is unavailable, the part says so, and the other parts are still shown. */
export async function orUnavailable(part: Promise<HtmlValue>): Promise<HtmlValue> {
  try {
    return await part;
  } catch (error) {
    if (!isServiceError(error, "dependency_unavailable")) throw error;
    return html`<p class="alert alert-danger">This part of the page is currently unavailable.</p>`;
  }
}

async function quotas(visit: Visit, { id }: ProjectClient): Promise<HtmlValue> {
  const [{ quotas: states }, usage] = await Promise.all([
    visit.ask(ProjectClientAdminService.method.showQuotas, { projectClientId: id }),
    usageByDay(visit, id, usageDays, (kind) => !isRefusal(kind)),
  ]);
  const used = usage.filter(({ points }) => points.some(({ y }) => y > 0)).slice(0, plotsMax);
  const plots = used.map((series) =>
    figure({
      title: `${capitalize(series.name.replaceAll("_", " "))}, ${usageDays} days`,
      unit: unitOf(series.name),
      xTitle: "day (UTC)",
      kind: "bar",
      series: [series],
    }),
  );
  return section(
    "Quotas",
    table(
      "Quotas",
      ["Resource", "Used", "Limit", "Window"],
      states.map(({ resource, used: count, limit, window }) => [
        resource.replaceAll("_", " "),
        html`<meter min="0" max="${String(limit)}" value="${String(count)}" aria-label="${resource}, share that is used">${String(count)}</meter> ${amountOf(resource, count)}`,
        amountOf(resource, limit),
        window,
      ]),
    ),
    html`<div class="grid">${await Promise.all(plots)}</div>`,
  );
}

const refusals = (visit: Visit, { id }: ProjectClient): Promise<HtmlValue> => refusalsPart(visit, id);

const credentials = (visit: Visit, { id }: ProjectClient): Promise<HtmlValue> => credentialsOf(visit, id);

async function profiles(visit: Visit, { id }: ProjectClient): Promise<HtmlValue> {
  const { senderProfiles } = await visit.ask(NotifyAdminService.method.listSenderProfiles, { projectClientId: id });
  return section(
    "Sender profiles",
    rowsTable(
      profileTable,
      "Sender profiles",
      ["name", "channel", "status", "createdAt", "updatedAt"],
      senderProfiles,
      "It has no sender profile, so it cannot send.",
    ),
  );
}

async function catalog(visit: Visit, { id }: ProjectClient): Promise<HtmlValue> {
  const { templates } = await visit.ask(NotifyAdminService.method.showCatalog, { projectClientId: id });
  const keys = [...new Set(templates.map(({ key }) => key))];
  return section(
    "Catalog",
    table(
      "Templates",
      ["Template", "Channels", "Languages"],
      keys.map((key) => {
        const own = templates.filter((template) => template.key === key);
        return [
          html`<a href="/templates?client=${id}&amp;key=${encodeURIComponent(key)}">${key}</a>`,
          [...new Set(own.map(({ channel }) => channel))].join(", "),
          [...new Set(own.map(({ locale }) => locale))].join(", "),
        ];
      }),
      "The catalog is empty.",
    ),
  );
}

async function operations(visit: Visit, { id }: ProjectClient): Promise<HtmlValue> {
  const { operations: all } = await visit.ask(ScheduledOperationAdminService.method.listScheduledOperations, {
    projectClientId: id,
  });
  return section(
    "Scheduled operations",
    rowsTable(
      scheduleTable,
      "Scheduled operations",
      ["name", "status", "cron", "timezone", "nextDueAt"],
      all,
      "It has registered no operation.",
    ),
  );
}

async function campaigns(visit: Visit, { id }: ProjectClient): Promise<HtmlValue> {
  const { campaigns: all } = await visit.ask(CampaignAdminService.method.listCampaigns, {
    projectClientId: id,
    limit: 100,
    newestFirst: true,
  });
  return section(
    "Campaigns",
    rowsTable(campaignTable, "Campaigns", ["name", "status", "impressions"], all, "It has no campaign."),
  );
}

async function retention(visit: Visit, { id }: ProjectClient): Promise<HtmlValue> {
  const retentions = await retentionsOf(visit, id);
  return section(
    "Retention",
    table(
      "How long records are kept",
      ["Kind", "Days", "Set by", "Actions"],
      retentions.map(({ kind, days, isDefault }) => [
        kind.replaceAll("_", " "),
        days ?? "unlimited",
        isDefault ? "default" : "an operator",
        actionLinks(visit, [setRetention], id, `?kind=${encodeURIComponent(kind)}`),
      ]),
    ),
  );
}
