import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import { ProjectClientSearchAdminService } from "@platform/proto/identity/v1/project_client_search_admin";
import { actionLinks } from "../action.ts";
import { copyable, idLink, stateOf, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import type { Action, Listing } from "../screen.ts";

export const environments = ["development", "sandbox", "staging", "production"];

export const stateOfClient = ({ disabled }: ProjectClient): string => (disabled ? "disabled" : "active");

const search = ProjectClientSearchAdminService.method.findProjectClients;

/** A row of the list. */
type Found = { readonly client: ProjectClient; readonly createdAt: Date | null; readonly lastSeenAt: Date | null };

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
    const { found, nextCursor } = await visit.ask(search, { text: q, environment, state, sort, ...page });
    const rows = found.flatMap(({ projectClient, createdAt, lastSeenAt }) =>
      projectClient === undefined
        ? []
        : [{ client: projectClient, createdAt: dateOf(createdAt), lastSeenAt: dateOf(lastSeenAt) }],
    );
    return { rows, nextCursor };
  },
  empty: "There are no projects yet. Operators can create one here or with platformctl clients create.",
  above: async (visit) => actionLinks(visit, [create]),
});
