import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { FileObjectAdminService } from "@platform/proto/files/v1/file_object_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { ProjectClientSearchAdminService } from "@platform/proto/identity/v1/project_client_search_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { bytesOf, countOf, idLink, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { everyClient, usageOf } from "../pages/usage.ts";
import type { Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { activeAlerts } from "./active-alerts.ts";
import { orUnavailable } from "./client-page.ts";
import { isRefusal } from "./client-refusals.ts";
import { platformPlots } from "./platform-plots.ts";

const expiringDays = 30;
const plotDays = 14;
const rowsMax = 8;

export const overview: Screen = {
  views: [
    {
      path: "/",
      method: ProjectClientAdminService.method.listProjectClients,
      show: async (visit) => {
        // All people with the same roles share one rendered page, so the roles are the key.
        const body = await visit.overviews([...visit.session.roles].sort().join(), () => renderOverview(visit));
        return { title: "Overview", body };
      },
    },
  ],
};

async function renderOverview(visit: Visit): Promise<HtmlValue> {
  const parts = [activeAlerts, platformPlots, components, traffic, failures, quarantine, expiring];
  const [alerts, plots, ...others] = await Promise.all(parts.map((part) => orUnavailable(part(visit))));
  return html`${alerts}${plots}<div class="grid">${others}</div>`;
}

/** Renders the current state of each component. */
async function components({ health }: Visit): Promise<HtmlValue> {
  const rows = [...(await health.present())].map(([name, state]) => [name, stateOf(state)]);
  return section(
    "Components",
    table(
      "State of each component",
      ["Component", "State"],
      rows,
      "No component has reported yet. Reload the page in a minute.",
    ),
    html`<p><a href="/status">The last 90 days</a></p>`,
  );
}

/** Renders the requests of all clients by day, as the platform counts them, and the number of clients. */
async function traffic(visit: Visit): Promise<HtmlValue> {
  const days = lastDays(plotDays);
  const [{ total }, counts] = await Promise.all([
    visit.ask(ProjectClientSearchAdminService.method.findProjectClients, { limit: 1 }),
    usageOf(visit, everyClient, days[0] ?? new Date(), "day", ["identity"]),
  ]);
  const wanted = counts.filter(({ kind }) => kind === "requests" || isRefusal(kind));
  const series = byDay(
    wanted,
    days,
    ({ at }) => (at === undefined ? null : timestampDate(at)),
    ({ kind }) => (isRefusal(kind) ? "refused" : "requests"),
    ({ count }) => Number(count),
  );
  const sumOf = (isWanted: (kind: string) => boolean): string =>
    countOf(wanted.filter(({ kind }) => isWanted(kind)).reduce((sum, { count }) => sum + count, 0n));
  const figures = [
    [countOf(total), total === 1 ? "project" : "projects"],
    [sumOf((kind) => !isRefusal(kind)), `requests in the last ${plotDays} days`],
    [sumOf(isRefusal), "rejected"],
  ];
  return section(
    "Requests",
    html`<ul class="d-flex flex-wrap gap-4 list-unstyled">${figures.map(([count, name]) => html`<li><strong class="d-block h1 mb-0">${count}</strong> ${name}</li>`)}</ul>`,
    await figure({
      title: `Requests of the last ${plotDays} days`,
      unit: "requests",
      xTitle: "day (UTC)",
      kind: "bar",
      series,
    }),
  );
}

/** Renders the latest failed deliveries of the platform. */
async function failures(visit: Visit): Promise<HtmlValue> {
  const filter = { status: "failed" };
  const [{ deliveries }, projectOf] = await Promise.all([
    visit.ask(DeliveryAdminService.method.listDeliveries, { filter, limit: rowsMax }),
    projectLinks(visit),
  ]);
  return section(
    "Failed deliveries",
    table(
      "The latest failed deliveries",
      ["Delivery", "Project", "Error", "Accepted"],
      deliveries.map(({ id, projectClientId, lastErrorCode, createdAt }) => [
        idLink("/deliveries", id),
        projectOf(projectClientId),
        lastErrorCode,
        timeOf(createdAt),
      ]),
      "No deliveries have failed.",
    ),
    deliveries.length > 0 && html`<p><a href="/deliveries?status=failed">All failed deliveries</a></p>`,
  );
}

/** Renders the uploads that were not inspected yet, oldest first. */
async function quarantine(visit: Visit): Promise<HtmlValue> {
  const request = { status: "quarantined", limit: rowsMax, oldestFirst: true };
  const [{ fileObjects }, projectOf] = await Promise.all([
    visit.ask(FileObjectAdminService.method.listFileObjects, request),
    projectLinks(visit),
  ]);
  return section(
    "Unscanned uploads",
    table(
      "Uploads in quarantine, oldest first",
      ["File Object", "Project", "Size", "Uploaded"],
      fileObjects.map((file) => [
        idLink("/files", file.id),
        projectOf(file.projectClientId),
        bytesOf(file.sizeBytes),
        timeOf(file.uploadedAt),
      ]),
      "No uploads are in quarantine.",
    ),
    fileObjects.length > 0 && html`<p><a href="/files?status=quarantined">All uploads in quarantine</a></p>`,
  );
}

/** Renders the credentials that expire soon. */
async function expiring(visit: Visit): Promise<HtmlValue> {
  const [{ projectCredentials }, projectOf] = await Promise.all([
    visit.ask(ProjectClientAdminService.method.listProjectCredentials, { expiresWithinDays: expiringDays, limit: 20 }),
    projectLinks(visit),
  ]);
  return section(
    "Expiring credentials",
    table(
      `Credentials that expire within ${expiringDays} days`,
      ["Credential", "Project", "Expires"],
      projectCredentials.map(({ name, id, projectClientId, expiresAt }) => [
        idLink("/credentials", id, name || undefined, projectClientId),
        projectOf(projectClientId),
        timeOf(expiresAt),
      ]),
      `No credentials expire within ${expiringDays} days.`,
    ),
  );
}

/** Returns the function that renders a link to the page of a project, with its name if that is known. */
async function projectLinks(visit: Visit): Promise<(id: string) => HtmlValue> {
  const names = new Map((await visit.projectClients()).map(({ id, name }) => [id, name]));
  return (id) => idLink("/clients", id, names.get(id));
}
