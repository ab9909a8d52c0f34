import { html } from "@platform/kit/web/http";
import { ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { PageProblem } from "../page-problem.ts";
import { confirmationField, requireConfirmation } from "../pages/confirmation.ts";
import { choicesOf, type Field } from "../pages/fields.ts";
import { amountOf, unitOf } from "../pages/usage.ts";
import type { Action, Screen } from "../screen.ts";
import { clientChanges, crumbsOf, linesOf, readClient } from "./client-changes.ts";
import { clientPage } from "./client-page.ts";
import { eraseClient } from "./erasures.ts";
import { environments, projectList } from "./project-list.ts";
import { setRetention } from "./retention.ts";

const admin = ProjectClientAdminService.method;

const create: Action = {
  path: "/clients/new",
  title: "New project",
  button: "Create project",
  method: admin.createProjectClient,
  isOnce: true,
  describe: async () => ({
    crumbs: [["Projects", "/clients"]],
    what: html`<p>A project is a backend that calls the platform, the API's Project Client. Its environment cannot be changed later.</p>`,
  }),
  fields: () => [
    { name: "name", label: "Name", isRequired: true, maxLength: 120 },
    { name: "environment", label: "Environment", choices: choicesOf(environments) },
    {
      name: "return_uris",
      label: "Return URIs",
      hint: "URIs that hosted pages can return to, one per line.",
      type: "textarea",
    },
  ],
  run: async (visit, options) => {
    const { projectClient } = await visit.ask(
      admin.createProjectClient,
      {
        name: visit.field("name"),
        environment: visit.field("environment"),
        returnUris: linesOf(visit.field("return_uris")),
      },
      options,
    );
    visit.clients.forget();
    return {
      redirect: `/clients/${projectClient?.id ?? ""}`,
      notice: "The project is created. Issue a credential so that it can call the API.",
    };
  },
};

const disable: Action = {
  path: "/clients/:id/disable",
  title: "Disable",
  button: "Disable the project",
  isDanger: true,
  method: admin.disableProjectClient,
  describe: async (visit) => {
    const client = await readClient(visit);
    return {
      crumbs: crumbsOf(client),
      what: html`<p>Within one second, <strong>${client.name}</strong> (${client.environment}) stops working until it is enabled again:</p>
<ul><li>API requests are rejected with 403 <code>project_client_disabled</code>.</li>
<li>Queued deliveries wait, and fail after 24 hours.</li>
<li>Scheduled runs are skipped; subscriptions and the event relay pause.</li>
<li>Hosted pages report that the project is unavailable.</li>
<li>Download links return 404, and decision tokens 422.</li></ul>`,
    };
  },
  fields: async (visit) => [confirmationField((await readClient(visit)).name)],
  run: async (visit, options) => {
    requireConfirmation(visit, (await readClient(visit)).name);
    await visit.ask(admin.disableProjectClient, { projectClientId: visit.param("id") }, options);
    visit.clients.forget();
    return { redirect: `/clients/${visit.param("id")}`, notice: "The project is disabled." };
  },
};

const enable: Action = {
  path: "/clients/:id/enable",
  title: "Enable",
  button: "Enable the project",
  method: admin.enableProjectClient,
  describe: async (visit) => {
    const client = await readClient(visit);
    return {
      crumbs: crumbsOf(client),
      what: html`<p>${client.name} resumes all work that has not expired in the meantime.</p>`,
    };
  },
  run: async (visit, options) => {
    await visit.ask(admin.enableProjectClient, { projectClientId: visit.param("id") }, options);
    visit.clients.forget();
    return { redirect: `/clients/${visit.param("id")}`, notice: "The project is enabled." };
  },
};

const setQuota: Action = {
  path: "/clients/:id/quota",
  title: "Set a quota",
  button: "Set the limit",
  method: admin.setQuota,
  describe: async (visit) => {
    const client = await readClient(visit);
    return {
      crumbs: crumbsOf(client),
      what: html`<p>Changes the limit of one resource of ${client.name}. Gateways apply it within one second.</p>`,
    };
  },
  fields: async (visit) => {
    const { quotas } = await visit.ask(admin.showQuotas, { projectClientId: visit.param("id") });
    const named = quotas.find(({ resource }) => resource === visit.query("resource"));
    const resources: Field = {
      name: "resource",
      label: "Resource",
      choices: (named === undefined ? quotas : [named]).map(({ resource, limit, window }) => [
        resource,
        `${resource.replaceAll("_", " ")} (currently ${amountOf(resource, limit)}${window === "level" ? "" : ` per ${window}`})`,
      ]),
    };
    if (named === undefined) return [resources];
    const present = String(named.limit);
    return [
      resources,
      {
        name: "limit",
        label: "New limit",
        ...(unitOf(named.resource) === "bytes" ? { hint: "In bytes." } : {}),
        type: "number",
        isRequired: true,
        present,
        value: present,
      },
    ];
  },
  run: async (visit, options) => {
    const limit = visit.field("limit");
    const resource = visit.field("resource");
    // If the address contains no resource, the form asks only for the resource. The next form starts with the
    // resource's current limit.
    if (resource !== "" && limit === "" && visit.query("resource") === "")
      return { redirect: visit.here({ resource }) };
    if (!/^[1-9]\d{0,15}$/.test(limit))
      throw new PageProblem(422, "This cannot be done", "The limit must be a whole number of at least 1.");
    await visit.ask(admin.setQuota, { projectClientId: visit.param("id"), resource, limit: BigInt(limit) }, options);
    visit.clients.forget();
    return { redirect: `/clients/${visit.param("id")}`, notice: "The limit is set." };
  },
};

export const clients: Screen = {
  lists: [projectList(create)],
  actions: [create, ...clientChanges, disable, enable, setQuota, setRetention],
  views: [
    {
      path: "/clients/:id",
      method: admin.showProjectClient,
      show: async (visit) => {
        const client = await readClient(visit);
        return clientPage(visit, client, [...clientChanges, setQuota, client.disabled ? enable : disable, eraseClient]);
      },
    },
  ],
};
