import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { FileObjectAdminService } from "@platform/proto/files/v1/file_object_admin";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { DeliveryAdminService } from "@platform/proto/notify/v1/delivery_admin";
import { bytesOf, countOf, idLink, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { byDay, figure, lastDays } from "../pages/figure.ts";
import { usageOf } from "../pages/usage.ts";
import type { Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { activeAlerts } from "./active-alerts.ts";
import { orUnavailable } from "./client-page.ts";
import { platformPlots } from "./platform-plots.ts";

const expiringDays = 30;
const plotDays = 14;
/** Clients whose use the first page adds up; more would make it slow. */
const clientsMax = 20;

export const overview: Screen = {
  views: [
    {
      path: "/",
      method: ProjectClientAdminService.method.listProjectClients,
      show: async (visit) => {
        // Everybody with the same roles sees the same page.
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

/** The present state of each component. */
async function components({ health }: Visit): Promise<HtmlValue> {
  const rows = [...(await health.present())].map(([name, state]) => [name, stateOf(state)]);
  return section(
    "Components",
    table("State of each component", ["Component", "State"], rows, "No component is known; look again in a minute."),
    html`<p><a href="/status">The last 90 days</a></p>`,
  );
}

/** Requests of the clients, by day. */
async function traffic(visit: Visit): Promise<HtmlValue> {
  const all = await visit.projectClients();
  const clients = all.slice(0, clientsMax);
  const days = lastDays(plotDays);
  const counts = await Promise.all(clients.map(({ id }) => usageOf(visit, id, days[0] ?? new Date(), "day")));
  const requests = clients.flatMap((client, index) =>
    (counts[index] ?? []).filter(({ kind }) => kind === "requests").map((count) => ({ ...count, client })),
  );
  const series = byDay(
    requests,
    days,
    ({ at }) => (at === undefined ? null : timestampDate(at)),
    ({ client }) => client.name,
    ({ count }) => Number(count),
  );
  const total = requests.reduce((sum, { count }) => sum + Number(count), 0);
  const plot = {
    title: `Requests of the last ${plotDays} days`,
    unit: "requests",
    xTitle: "day (UTC)",
    kind: "bar",
  } as const;
  return section(
    "Requests",
    html`<ul class="d-flex flex-wrap gap-4 list-unstyled"><li><strong class="d-block h1 mb-0">${countOf(all.length)}</strong> Project Clients</li>
<li><strong class="d-block h1 mb-0">${countOf(total)}</strong> requests in ${plotDays} days${all.length > clients.length && ` by the first ${clients.length} of them`}</li></ul>`,
    await figure({ ...plot, series: topOf(series, 5) }),
  );
}

/** The largest series by themselves, the others added up. */
function topOf<S extends { name: string; points: readonly { x: Date | string; y: number }[] }>(
  series: readonly S[],
  most: number,
) {
  const sumOf = ({ points }: S): number => points.reduce((sum, { y }) => sum + y, 0);
  const sorted = [...series].sort((a, b) => sumOf(b) - sumOf(a));
  const others = sorted.slice(most);
  const [first] = others;
  if (first === undefined) return sorted;
  const points = first.points.map(({ x }, index) => ({
    x,
    y: others.reduce((sum, each) => sum + (each.points[index]?.y ?? 0), 0),
  }));
  return [...sorted.slice(0, most), { name: "others", points }];
}

/** The latest failed deliveries of the first clients. */
async function failures(visit: Visit): Promise<HtmlValue> {
  const clients = (await visit.projectClients()).slice(0, clientsMax);
  const pages = await Promise.all(
    clients.map(({ id }) =>
      visit.ask(DeliveryAdminService.method.listDeliveries, {
        filter: { projectClientId: id, status: "failed" },
        limit: 5,
      }),
    ),
  );
  const failed = pages
    .flatMap(({ deliveries }) => deliveries)
    .sort((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, 8);
  const nameOf = (id: string): string => clients.find((client) => client.id === id)?.name ?? id;
  return section(
    "Failed deliveries",
    table(
      "The latest failed deliveries",
      ["Delivery", "Project Client", "Error", "Accepted"],
      failed.map(({ id, projectClientId, lastErrorCode, createdAt }) => [
        idLink("/deliveries", id),
        idLink("/clients", projectClientId, nameOf(projectClientId)),
        lastErrorCode,
        timeOf(createdAt),
      ]),
      "No delivery has failed.",
    ),
  );
}

/** Uploads that nothing has judged yet, the oldest first. */
async function quarantine(visit: Visit): Promise<HtmlValue> {
  const clients = (await visit.projectClients()).slice(0, clientsMax);
  const pages = await Promise.all(
    clients.map(async ({ id, name }) => {
      const request = { projectClientId: id, status: "quarantined", limit: 200 };
      const { fileObjects } = await visit.ask(FileObjectAdminService.method.listFileObjects, request);
      return fileObjects.map((file) => ({ ...file, client: name, clientId: id }));
    }),
  );
  const waiting = pages
    .flat()
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, 8);
  return section(
    "Unscanned uploads",
    table(
      "Uploads in quarantine, the oldest first",
      ["File Object", "Project Client", "Size", "Uploaded"],
      waiting.map((file) => [
        idLink("/files", file.id),
        idLink("/clients", file.clientId, file.client),
        bytesOf(file.sizeBytes),
        timeOf(file.uploadedAt),
      ]),
      "Nothing is in quarantine.",
    ),
  );
}

/** Credentials that end soon. */
async function expiring(visit: Visit): Promise<HtmlValue> {
  const { projectCredentials } = await visit.ask(ProjectClientAdminService.method.listProjectCredentials, {
    expiresWithinDays: expiringDays,
    limit: 20,
  });
  return section(
    "Expiring credentials",
    table(
      `Credentials that expire within ${expiringDays} days`,
      ["Credential", "Project Client", "Expires"],
      projectCredentials.map(({ name, id, projectClientId, expiresAt }) => [
        name || id,
        idLink("/clients", projectClientId),
        timeOf(expiresAt),
      ]),
      `No credential expires within ${expiringDays} days.`,
    ),
  );
}
