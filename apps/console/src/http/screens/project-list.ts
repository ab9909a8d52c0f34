import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { html } from "@platform/kit/web/http";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import {
  ProjectClientSearchAdminService,
  type RequestHour,
} from "@platform/proto/identity/v1/project_client_search_admin";
import { actionLinks } from "../action.ts";
import { copyable, countOf, idLink, stateOf, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import { lastHours } from "../pages/figure.ts";
import { sparkline } from "../pages/sparkline.ts";
import type { Action, Listing } from "../screen.ts";

export const environments = ["development", "sandbox", "staging", "production"];

export const stateOfClient = ({ disabled }: ProjectClient): string => (disabled ? "disabled" : "active");

const search = ProjectClientSearchAdminService.method.findProjectClients;

/** A project in the list. */
type Found = {
  readonly client: ProjectClient;
  readonly createdAt: Date | null;
  readonly lastSeenAt: Date | null;
  /** The last 24 hours, oldest first. */
  readonly hours: readonly Hour[];
};
type Hour = { readonly requests: number; readonly refused: number };

const plotHours = 24;

/** Returns all hours. Usage counts do not contain the hours without requests. */
function everyHour(counted: readonly RequestHour[]): Hour[] {
  const known = new Map(counted.map((hour) => [dateOf(hour.at)?.getTime(), hour]));
  return lastHours(plotHours).map((at) => {
    const { requests = 0n, refused = 0n } = known.get(at.getTime()) ?? {};
    return { requests: Number(requests), refused: Number(refused) };
  });
}

const sumOf = ({ hours }: Found, kind: keyof Hour): number => hours.reduce((sum, hour) => sum + hour[kind], 0);

const dateOf = (at: Timestamp | undefined): Date | null => (at === undefined ? null : timestampDate(at));

/** The list of projects, with the available actions above it. */
export const projectList = (create: Action): Listing<Found> => ({
  path: "/clients",
  title: "Projects",
  method: search,
  isOfClient: false,
  filters: [
    { name: "q", label: "Find", hint: "Part of the name, or the id", type: "search" },
    { name: "environment", label: "Environment", choices: choicesOf(environments, "all") },
    { name: "state", label: "State", choices: choicesOf(["active", "disabled"], "all") },
    {
      name: "sort",
      label: "Order",
      choices: [
        ["", "newest first"],
        ["name", "by name"],
      ],
    },
  ],
  columns: [
    { key: "id", title: "Id", value: ({ client }) => client.id, cell: ({ client }) => copyable(client.id) },
    {
      key: "name",
      title: "Name",
      value: ({ client }) => client.name,
      cell: ({ client: { id, name } }) => idLink("/clients", id, name),
    },
    { key: "environment", title: "Environment", value: ({ client }) => client.environment },
    {
      key: "state",
      title: "State",
      value: ({ client }) => stateOfClient(client),
      cell: ({ client }) => stateOf(stateOfClient(client)),
    },
    {
      key: "requests_24h",
      title: "Requests, 24 hours",
      value: (found) => sumOf(found, "requests"),
      cell: (found) =>
        html`<span class="d-flex gap-2">${sparkline(found.hours.map(({ requests, refused }) => ({ total: requests, failed: refused })))}<span class="ms-auto">${countOf(sumOf(found, "requests"))}</span></span>`,
    },
    { key: "refused_24h", title: "Refused", value: (found) => sumOf(found, "refused") },
    {
      key: "last_seen_at",
      title: "Last seen",
      value: ({ lastSeenAt }) => lastSeenAt?.toISOString() ?? null,
      cell: ({ lastSeenAt }) => (lastSeenAt === null ? "never" : timeOf(lastSeenAt)),
    },
    {
      key: "created_at",
      title: "Created",
      value: ({ createdAt }) => createdAt?.toISOString() ?? null,
      cell: ({ createdAt }) => timeOf(createdAt ?? undefined),
    },
    { key: "return_uris", title: "Return URIs", value: ({ client }) => client.returnUris.join(" ") },
  ],
  read: async (visit, { q = "", environment = "", state = "", sort = "" }, page) => {
    const request = { text: q, environment, state, sort, withRequests: true, withoutTotal: true, ...page };
    const { found, nextCursor } = await visit.ask(search, request);
    const rows = found.flatMap(({ projectClient: client, createdAt, lastSeenAt, requestHours }) =>
      client === undefined
        ? []
        : [{ client, createdAt: dateOf(createdAt), lastSeenAt: dateOf(lastSeenAt), hours: everyHour(requestHours) }],
    );
    return { rows, nextCursor };
  },
  empty: "There is no project yet. An operator creates one here, or by platformctl clients create.",
  above: async (visit) => html`${actionLinks(visit, [create])}
<p class="text-secondary">Requests and refusals are the usage counts that gateways report. The last bar is the present hour (UTC).</p>`,
});
