import { accounts as table } from "@platform/contracts/operator/accounts";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { AccountAdminService, type PlatformAccount } from "@platform/proto/identity/v1/identity_admin";
import { actionLinks } from "../action.ts";
import { copyable, facts, section, table as tableOf, timeOf } from "../pages/elements.ts";
import { readerOf } from "../resource-read.ts";
import { factsOf, rowsTable } from "../resource-row.ts";
import { rowFacts, screenOf } from "../resource-screen.ts";
import type { Action, Screen } from "../screen.ts";
import type { Visit } from "../visit.ts";
import { eraseAccount } from "./erasures.ts";

const admin = AccountAdminService.method;
const support = AccountSupportService.method;

const read = readerOf(table);

async function sessionsOf(visit: Visit, accountId: string): Promise<HtmlValue> {
  if (!visit.may(admin.listSessions)) return null;
  const { sessions } = await visit.ask(admin.listSessions, { accountId });
  return section(
    "Sessions",
    tableOf(
      "Active sessions",
      ["Session", "Opened", "Last seen", "Expires", "Actions"],
      sessions.map((session) => [
        copyable(session.id),
        timeOf(session.createdAt),
        timeOf(session.lastSeenAt),
        timeOf(session.expiresAt),
        actionLinks(visit, [revokeSession], session.id, `?account=${accountId}`),
      ]),
      "Nobody is signed in to this account.",
    ),
  );
}

const revokeSessions: Action = {
  path: "/accounts/:id/revoke-sessions",
  title: "End all sessions",
  button: "End all sessions",
  isDanger: true,
  method: support.revokeAccountSessions,
  describe: async (visit) => {
    const { row } = await read(visit);
    return {
      crumbs: [[`Account ${visit.param("id")}`, `/accounts/${visit.param("id")}`]],
      what: html`<p>All sessions of the account end immediately.</p>${facts(factsOf(table, table.shown.question, row))}`,
    };
  },
  run: async (visit, options) => {
    const { revoked } = await visit.ask(support.revokeAccountSessions, { accountId: visit.param("id") }, options);
    return { redirect: `/accounts/${visit.param("id")}`, notice: `${revoked} sessions have ended.` };
  },
};

const revokeSession: Action = {
  path: "/sessions/:id/revoke",
  title: "End",
  button: "End the session",
  isDanger: true,
  method: admin.revokeSession,
  describe: async (visit) => ({
    crumbs: [[`Account ${visit.query("account")}`, `/accounts/${encodeURIComponent(visit.query("account"))}`]],
    what: html`<p>Session <code>${visit.param("id")}</code> ends immediately. The account's other sessions remain.</p>`,
  }),
  run: async (visit, options) => {
    await visit.ask(admin.revokeSession, { sessionId: visit.param("id") }, options);
    return { redirect: `/accounts/${encodeURIComponent(visit.query("account"))}`, notice: "The session has ended." };
  },
};

/** The form uses POST, so that no address is in a URL. */
export const findAccounts: Action = {
  path: "/accounts/find",
  title: "Find an account by address",
  button: "Find",
  method: support.findAccounts,
  isReveal: true,
  describe: async () => ({
    crumbs: [["Migrations", "/migrations"]],
    what: html`<p>Shows the accounts that sign in with this address. The search is recorded.</p>`,
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
      body: html`<section aria-label="Found">${rowsTable(
        table,
        "Accounts with this address",
        ["id", "status", "loginIdentifiers", "createdAt"],
        found,
        "No account signs in with this address.",
      )}</section>`,
    };
  },
};

const screen = screenOf(table, {
  acts: () => [revokeSessions, eraseAccount],
  show: async (visit, account: PlatformAccount) =>
    html`${rowFacts(table, account)}${await sessionsOf(visit, account.id)}`,
});

export const accounts: Screen = {
  ...screen,
  actions: [findAccounts, revokeSession, revokeSessions, ...(screen.actions ?? [])],
};
