import { html } from "@platform/kit/web/http";
import { ErasureAdminService, type ShowErasureResponse } from "@platform/proto/identity/v1/erasure_admin";
import { AccountAdminService, ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { confirmationField, requireConfirmation } from "../pages/confirmation.ts";
import { copyable, countOf, facts, idLink, isoOf, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import type { Action, Listing, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

type Erasure = ShowErasureResponse;

const admin = ErasureAdminService.method;
const crumbs: [string, string][] = [["Erasures", "/erasures"]];
const stateOfErasure = (status: string) => stateOf(status === "done" ? "completed" : status);
const whyOf = ({ steps }: Erasure): string =>
  steps.flatMap(({ service, error }) => (error === undefined ? [] : [`${service}: ${error}`])).join(", ");

const list: Listing<Erasure> = {
  path: "/erasures",
  title: "Erasures",
  method: admin.listErasures,
  isOfClient: false,
  filters: [{ name: "status", label: "Status", choices: choicesOf(["pending", "running", "done", "failed"], "all") }],
  columns: [
    {
      key: "id",
      title: "Erasure",
      value: ({ erasureId }) => erasureId,
      cell: ({ erasureId }) => idLink("/erasures", erasureId),
    },
    { key: "kind", title: "Of a", value: ({ kind }) => kind },
    { key: "status", title: "Status", value: ({ status }) => status, cell: ({ status }) => stateOfErasure(status) },
    {
      key: "done",
      title: "Services done",
      value: ({ steps }) => `${steps.filter(({ status }) => status === "done").length} of ${steps.length}`,
    },
    { key: "error", title: "Error", value: whyOf },
    {
      key: "created_at",
      title: "Begun",
      value: ({ createdAt }) => isoOf(createdAt),
      cell: ({ createdAt }) => timeOf(createdAt),
    },
    {
      key: "finished_at",
      title: "Finished",
      value: ({ finishedAt }) => isoOf(finishedAt),
      cell: ({ finishedAt }) => timeOf(finishedAt),
    },
  ],
  read: async (visit, filters, page) => {
    const { erasures: rows, nextCursor } = await visit.ask(admin.listErasures, {
      status: filters.status ?? "",
      ...page,
    });
    return { rows, nextCursor };
  },
  empty: "Nobody was erased. Someone with the role security erases a person here, and a client from its page.",
  above: async (visit) => actionLinks(visit, [eraseByAddress]),
};

async function erasurePage(visit: Visit) {
  const erasure = await visit.ask(admin.showErasure, { erasureId: visit.param("id") });
  return {
    title: `Erasure ${erasure.erasureId}`,
    crumbs,
    body: html`${erasure.status === "failed" && actionLinks(visit, [retry], erasure.erasureId)}
<section aria-label="Erasure">${facts([
      ["Id", copyable(erasure.erasureId)],
      ["Of a", erasure.kind],
      ["Status", stateOfErasure(erasure.status)],
      ["Begun", timeOf(erasure.createdAt)],
      ["Finished", timeOf(erasure.finishedAt)],
    ])}</section>
${section(
  "Services",
  table(
    "The part of each service",
    ["Service", "Status", "Records erased", "Done", "Failed tries", "Error"],
    erasure.steps.map((step) => [
      step.service,
      stateOfErasure(step.status),
      countOf(step.erased),
      timeOf(step.doneAt),
      step.failures,
      step.error,
    ]),
  ),
  html`<p class="hint">Whom it is of is forgotten once every service is done. Load the page again to see how far it is.</p>`,
)}`,
  };
}

const begun = (erasureId: string) => ({ redirect: `/erasures/${erasureId}`, notice: "The erasure has begun." });

const retry: Action = {
  path: "/erasures/:id/retry",
  title: "Try again",
  button: "Try the failed parts again",
  method: admin.retryErasure,
  describe: async (visit) => {
    const erasure = await visit.ask(admin.showErasure, { erasureId: visit.param("id") });
    const failed = erasure.steps.filter(({ status }) => status === "failed").map(({ service }) => service);
    return {
      crumbs: [...crumbs, [`Erasure ${erasure.erasureId}`, `/erasures/${erasure.erasureId}`]],
      what: html`<p>The parts that were given up are tried again, ten times in about twenty minutes: ${failed.join(", ") || "none"}.</p>`,
    };
  },
  run: async (visit, options) => {
    await visit.ask(admin.retryErasure, { erasureId: visit.param("id") }, options);
    return { redirect: `/erasures/${visit.param("id")}`, notice: "The failed parts are tried again." };
  },
};

const personWhat = html`<p>In every service the person's account, sessions, addresses and legacy subjects are erased. Nobody signs in to the account from now on.
Keys stay used and audit chains stay valid. This cannot be undone.</p>`;

/** By POST, so that no address is in a URL. */
const eraseByAddress: Action = {
  path: "/erasures/person",
  title: "Erase a person",
  button: "Erase the person for good",
  isDanger: true,
  isOnce: true,
  method: admin.erasePerson,
  describe: async () => ({ crumbs, what: personWhat }),
  fields: () => [
    { name: "email", label: "Address of the person", isRequired: true, maxLength: 320, isSecret: true },
    { name: "confirm", label: "The address once more", isRequired: true, maxLength: 320, isSecret: true },
  ],
  run: async (visit, options) => {
    if (visit.field("confirm") !== visit.field("email"))
      throw new PageProblem(422, "This cannot be done", "The two addresses differ.");
    const { erasureId } = await visit.ask(admin.erasePerson, { email: visit.field("email") }, options);
    return begun(erasureId);
  },
};

export const eraseAccount: Action = {
  path: "/accounts/:id/erase",
  title: "Erase the person",
  button: "Erase the person for good",
  isDanger: true,
  isOnce: true,
  method: admin.erasePerson,
  describe: async (visit) => {
    const { account } = await visit.ask(AccountAdminService.method.showAccount, { accountId: visit.param("id") });
    return {
      crumbs: [[`Account ${visit.param("id")}`, `/accounts/${visit.param("id")}`]],
      what: html`${personWhat}${facts([
        ["Account", copyable(visit.param("id"))],
        ["Addresses", (account?.loginIdentifiers ?? []).map(({ addressHint }) => addressHint).join(", ")],
      ])}`,
    };
  },
  fields: (visit) => [confirmationField(visit.param("id"))],
  run: async (visit, options) => {
    requireConfirmation(visit, visit.param("id"));
    const { erasureId } = await visit.ask(admin.erasePerson, { accountId: visit.param("id") }, options);
    return begun(erasureId);
  },
};

const nameOfClient = async (visit: Visit): Promise<string> => {
  const request = { projectClientId: visit.param("id") };
  const { projectClient } = await visit.ask(ProjectClientAdminService.method.showProjectClient, request);
  return projectClient?.name ?? visit.param("id");
};

export const eraseClient: Action = {
  path: "/clients/:id/erase",
  title: "Erase",
  button: "Erase the client for good",
  isDanger: true,
  isOnce: true,
  method: admin.eraseProjectClient,
  describe: async (visit) => {
    const name = await nameOfClient(visit);
    return {
      crumbs: [
        ["Clients", "/clients"],
        [name, `/clients/${visit.param("id")}`],
      ],
      what: html`<p><strong>${name}</strong> is disabled at once, and every service erases what it keeps of it: addresses, messages, files, events, campaigns.
Keys stay used and audit chains stay valid. This cannot be undone.</p>`,
    };
  },
  fields: async (visit) => [confirmationField(await nameOfClient(visit))],
  run: async (visit, options) => {
    requireConfirmation(visit, await nameOfClient(visit));
    const request = { projectClientId: visit.param("id") };
    const { erasureId } = await visit.ask(admin.eraseProjectClient, request, options);
    visit.clients.forget();
    return begun(erasureId);
  },
};

export const erasures: Screen = {
  lists: [list],
  actions: [eraseByAddress, eraseAccount, eraseClient, retry],
  views: [{ path: "/erasures/:id", method: admin.showErasure, show: erasurePage }],
};
