import { scopes } from "@platform/contracts/scopes";
import { html } from "@platform/kit/web/http";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import type { ProjectClient } from "@platform/proto/identity/v1/identity_service";
import { PageProblem } from "../page-problem.ts";
import { choicesOf } from "../pages/fields.ts";
import type { Action } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ProjectClientAdminService.method;

export async function readClient(visit: Visit): Promise<ProjectClient> {
  const { projectClient } = await visit.ask(admin.showProjectClient, { projectClientId: visit.param("id") });
  if (projectClient === undefined) throw new PageProblem(404, "There is nothing here", "This project does not exist.");
  return projectClient;
}

export const crumbsOf = ({ id, name }: ProjectClient): [string, string][] => [
  ["Projects", "/clients"],
  [name, `/clients/${id}`],
];

export const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const changedClient = (visit: Visit, notice: string) => {
  visit.clients.forget();
  return { redirect: `/clients/${visit.param("id")}`, notice };
};

const describe: Action["describe"] = async (visit) => {
  const client = await readClient(visit);
  return {
    crumbs: crumbsOf(client),
    what: html`<p>The change to ${client.name} takes effect everywhere within two seconds.</p>`,
  };
};

/** The action for changes that only operators may make. */
const update: Action = {
  path: "/clients/:id/update",
  title: "Change",
  button: "Change the project",
  method: admin.updateProjectClient,
  describe,
  fields: async (visit) => {
    const { name, allowedScopes, successRatio } = await readClient(visit);
    return [
      { name: "name", label: "Name", isRequired: true, maxLength: 120, value: name },
      ...scopes.map((scope) => ({
        name: `scope_${scope}`,
        label: `Allow the scope ${scope}`,
        type: "checkbox" as const,
        value: allowedScopes === undefined || allowedScopes.values.includes(scope) ? "yes" : "",
      })),
      {
        name: "success_ratio",
        label: "Share of successful requests that are logged",
        hint: "0 to 1. Leave empty to keep the current share. Rejected and failed requests are always logged.",
        value: successRatio === undefined ? "" : String(successRatio),
      },
    ];
  },
  run: async (visit, options) => {
    await visit.ask(
      admin.updateProjectClient,
      {
        projectClientId: visit.param("id"),
        name: visit.field("name"),
        allowedScopes: { values: scopes.filter((scope) => visit.field(`scope_${scope}`) === "yes") },
        ...successRatioOf(visit.field("success_ratio")),
      },
      options,
    );
    return changedClient(visit, "The project is changed.");
  },
};

/** Returns the share that was typed; an empty object if the field is empty. */
function successRatioOf(text: string): { successRatio?: number } {
  if (text === "") return {};
  if (/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text)) return { successRatio: Number(text) };
  throw new PageProblem(
    422,
    "This cannot be done",
    "The share of successful requests is a number from 0 to 1, such as 0.1.",
  );
}

const returnUris: Action = {
  path: "/clients/:id/return-uris",
  title: "Return URIs",
  button: "Replace the return URIs",
  method: admin.setReturnUris,
  describe,
  fields: async (visit) => [
    {
      name: "return_uris",
      label: "Return URIs",
      hint: "One per line. Leave empty to allow none.",
      type: "textarea",
      value: (await readClient(visit)).returnUris.join("\n"),
    },
  ],
  run: async (visit, options) => {
    const request = { projectClientId: visit.param("id"), returnUris: linesOf(visit.field("return_uris")) };
    await visit.ask(admin.setReturnUris, request, options);
    return changedClient(visit, "The return URIs are replaced.");
  },
};

const platformEvents: Action = {
  path: "/clients/:id/platform-events",
  title: "Platform events",
  button: "Set platform events",
  method: admin.setPlatformEvents,
  describe,
  fields: async (visit) => [
    {
      name: "platform_events",
      label: "Platform events",
      hint: "If on, the platform publishes its own events to the project's event log.",
      choices: choicesOf(["off", "on"]),
      value: (await readClient(visit)).platformEvents ? "on" : "off",
    },
  ],
  run: async (visit, options) => {
    const request = { projectClientId: visit.param("id"), on: visit.field("platform_events") === "on" };
    await visit.ask(admin.setPlatformEvents, request, options);
    return changedClient(visit, "The setting of platform events is changed.");
  },
};

/** Actions that change a Project Client, one for each permission: that of operators, of owners and of developers. */
export const clientChanges: readonly Action[] = [update, returnUris, platformEvents];
