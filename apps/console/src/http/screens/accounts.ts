import { pageLanguages } from "@platform/contracts/page-languages";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { AccountAdminService, type PlatformAccount } from "@platform/proto/identity/v1/identity_admin";
import { actionLinks } from "../action.ts";
import { PageProblem } from "../page-problem.ts";
import { copyable, facts, idLink, section, stateOf, table, timeOf } from "../pages/elements.ts";
import { choicesOf } from "../pages/fields.ts";
import type { Action, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { eraseAccount } from "./erasures.ts";

const admin = AccountAdminService.method;
const support = AccountSupportService.method;

async function readAccount(visit: Visit, reveal?: { readonly reason?: string }): Promise<PlatformAccount> {
  const request = { accountId: visit.param("id"), reveal: reveal !== undefined };
  const { account } = await visit.ask(admin.showAccount, request, reveal ?? {});
  if (account === undefined) throw new PageProblem(404, "There is nothing here", "There is no such account.");
  return account;
}

const hintsOf = ({ loginIdentifiers }: PlatformAccount): string =>
  loginIdentifiers.map(({ email, addressHint }) => email || addressHint).join(", ");

async function sessionsOf(visit: Visit, accountId: string): Promise<HtmlValue> {
  if (!visit.may(admin.listSessions)) return null;
  const { sessions } = await visit.ask(admin.listSessions, { accountId });
  return section(
    "Sessions",
    table(
      "Sessions that can still be used",
      ["Session", "Opened", "Last seen", "Expires", "Actions"],
      sessions.map((session) => [
        copyable(session.id),
        timeOf(session.createdAt),
        timeOf(session.lastSeenAt),
        timeOf(session.expiresAt),
        actionLinks(visit, [revokeSession], session.id, `?account=${accountId}`),
      ]),
      "Nobody is signed in to it.",
    ),
  );
}

async function accountPage(visit: Visit, account: PlatformAccount) {
  const actions = [reveal, recover, revokeSessions, account.status === "disabled" ? enable : disable, eraseAccount];
  return {
    title: `Account ${account.id}`,
    body: html`${actionLinks(visit, actions, account.id)}
<section aria-label="Account">${facts([
      ["Id", copyable(account.id)],
      ["Status", stateOf(account.status)],
      ["Made", timeOf(account.createdAt)],
      ["Addresses", hintsOf(account)],
      ["Verified", account.loginIdentifiers.map(({ verifiedAt }) => timeOf(verifiedAt))],
    ])}</section>
${await sessionsOf(visit, account.id)}`,
  };
}

/** What is done to one account. */
function change(verb: string, options: Omit<Action, "path" | "describe"> & { readonly what: string }): Action {
  const { what, ...rest } = options;
  return {
    ...rest,
    path: `/accounts/:id/${verb}`,
    describe: async (visit) => ({
      crumbs: [[`Account ${visit.param("id")}`, `/accounts/${visit.param("id")}`]],
      what: html`<p>${what}</p>${facts([["Addresses", hintsOf(await readAccount(visit))]])}`,
    }),
  };
}

const back = (visit: Visit, notice: string) => ({ redirect: `/accounts/${visit.param("id")}`, notice });

const reveal = change("reveal", {
  title: "Reveal the addresses",
  button: "Reveal the addresses",
  method: admin.showAccount,
  isReveal: true,
  what: "The addresses are shown once. That you have seen them is recorded.",
  run: async (visit, options) => accountPage(visit, await readAccount(visit, options)),
});

const recover = change("recover", {
  title: "Mail a recovery link",
  button: "Mail the link",
  method: support.sendAccountRecovery,
  what: "The owner is mailed a link that sets a new password. It works once, for an hour.",
  fields: () => [{ name: "language", label: "Language", choices: choicesOf(pageLanguages) }],
  run: async (visit, options) => {
    const { addressHint } = await visit.ask(
      support.sendAccountRecovery,
      { accountId: visit.param("id"), language: visit.field("language") },
      options,
    );
    return back(visit, `The link is on its way to ${addressHint}.`);
  },
});

const revokeSessions = change("revoke-sessions", {
  title: "End all sessions",
  button: "End all sessions",
  isDanger: true,
  method: support.revokeAccountSessions,
  what: "Every session of the account ends at once.",
  run: async (visit, options) => {
    const { revoked } = await visit.ask(support.revokeAccountSessions, { accountId: visit.param("id") }, options);
    return back(visit, `${revoked} sessions have ended.`);
  },
});

const revokeSession: Action = {
  path: "/sessions/:id/revoke",
  title: "End",
  button: "End the session",
  isDanger: true,
  method: admin.revokeSession,
  describe: async (visit) => ({
    crumbs: [[`Account ${visit.query("account")}`, `/accounts/${encodeURIComponent(visit.query("account"))}`]],
    what: html`<p>Session <code>${visit.param("id")}</code> ends at once; the account's other sessions go on.</p>`,
  }),
  run: async (visit, options) => {
    await visit.ask(admin.revokeSession, { sessionId: visit.param("id") }, options);
    return { redirect: `/accounts/${encodeURIComponent(visit.query("account"))}`, notice: "The session has ended." };
  },
};

const disable = change("disable", {
  title: "Disable",
  button: "Let nobody sign in to it",
  isDanger: true,
  method: support.disableAccount,
  what: "Nobody can sign in to the account, and its sessions end.",
  run: async (visit, options) => {
    await visit.ask(support.disableAccount, { accountId: visit.param("id") }, options);
    return back(visit, "The account is disabled.");
  },
});

const enable = change("enable", {
  title: "Enable",
  button: "Enable the account",
  method: support.enableAccount,
  what: "Its owner can sign in again.",
  run: async (visit, options) => {
    await visit.ask(support.enableAccount, { accountId: visit.param("id") }, options);
    return back(visit, "The account is enabled.");
  },
});

/** By POST, so that no address is in a URL. */
export const findAccounts: Action = {
  path: "/accounts/find",
  title: "Find an account by address",
  button: "Find",
  method: support.findAccounts,
  isReveal: true,
  describe: async () => ({
    crumbs: [["Migrations", "/migrations"]],
    what: html`<p>Accounts that sign in with this address are shown. That you have looked is recorded.</p>`,
  }),
  fields: () => [{ name: "email", label: "Address", isRequired: true, maxLength: 320 }],
  run: async (visit, options) => {
    const { accounts: found } = await visit.ask(
      support.findAccounts,
      { email: visit.field("email"), reveal: true },
      options,
    );
    return {
      title: "Accounts with this address",
      body: html`<section aria-label="Found">${table(
        "Accounts with this address",
        ["Account", "Status", "Addresses", "Made"],
        found.map((account) => [
          idLink("/accounts", account.id),
          stateOf(account.status),
          hintsOf(account),
          timeOf(account.createdAt),
        ]),
        "No account signs in with this address.",
      )}</section>`,
    };
  },
};

export const accounts: Screen = {
  actions: [findAccounts, reveal, recover, revokeSession, revokeSessions, disable, enable],
  views: [
    {
      path: "/accounts/:id",
      method: admin.showAccount,
      show: async (visit) => accountPage(visit, await readAccount(visit)),
    },
  ],
};
