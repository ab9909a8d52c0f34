import { erasures as table } from "@platform/contracts/operator/erasures";
import { html } from "@platform/kit/web/http";
import { ErasureAdminService } from "@platform/proto/identity/v1/erasure_admin";
import { AccountAdminService, ProjectClientAdminService } from "@platform/proto/identity/v1/identity_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { confirmationField, requireConfirmation } from "../pages/confirmation.ts";
import { copyable, facts } from "../pages/elements.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";

const admin = ErasureAdminService.method;
const crumbs: [string, string][] = [["Erasures", "/erasures"]];

const begun = (erasureId: string) => ({ redirect: `/erasures/${erasureId}`, notice: "The erasure has started." });

const personWhat = html`<p>Erases the person's account, sessions, addresses and legacy subjects in every service. Nobody can sign in to the account from now on.
Idempotency keys stay used and audit chains stay valid. This cannot be undone.</p>`;

/** The form is posted, so that no URL contains an address. */
const eraseByAddress: Action = {
  path: "/erasures/person",
  title: "Erase a person",
  button: "Erase the person permanently",
  isDanger: true,
  isOnce: true,
  method: admin.erasePerson,
  describe: async () => ({ crumbs, what: personWhat }),
  fields: () => [
    { name: "email", label: "Email address of the person", isRequired: true, maxLength: 320, isSecret: true },
    { name: "confirm", label: "Repeat the email address", isRequired: true, maxLength: 320, isSecret: true },
  ],
  run: async (visit, options) => {
    if (visit.field("confirm") !== visit.field("email"))
      throw new PageProblem(422, "This cannot be done", "The two addresses are different.");
    const { erasureId } = await visit.ask(admin.erasePerson, { email: visit.field("email") }, options);
    return begun(erasureId);
  },
};

export const eraseAccount: Action = {
  path: "/accounts/:id/erase",
  title: "Erase the person",
  button: "Erase the person permanently",
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
  button: "Erase the project permanently",
  isDanger: true,
  isOnce: true,
  method: admin.eraseProjectClient,
  describe: async (visit) => {
    const name = await nameOfClient(visit);
    return {
      crumbs: [
        ["Projects", "/clients"],
        [name, `/clients/${visit.param("id")}`],
      ],
      what: html`<p><strong>${name}</strong> is disabled immediately, and every service erases its data: addresses, messages, files, events and campaigns.
Idempotency keys stay used and audit chains stay valid. This cannot be undone.</p>`,
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

const screen = screenOf(table, {
  above: (visit) => actionLinks(visit, [eraseByAddress]),
  show: async (_visit, erasure) => html`${rowFacts(table, erasure)}
<p class="text-secondary">Once every service is done, the platform no longer knows whom the erasure was about. Reload the page to see the progress.</p>`,
});

export const erasures: Screen = {
  ...screen,
  actions: [eraseByAddress, eraseAccount, eraseClient, ...(screen.actions ?? [])],
};
