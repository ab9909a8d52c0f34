import { accounts as table } from "@platform/contracts/operator/accounts";
import { platformSessions } from "@platform/contracts/operator/platform-sessions";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { AccountSupportService } from "@platform/proto/identity/v1/account_support_admin";
import { AccountAdminService, type PlatformAccount } from "@platform/proto/identity/v1/identity_admin";
import { actionLinks } from "../action.ts";
import { facts, section } from "../pages/elements.ts";
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
    rowsTable(
      platformSessions,
      "Active sessions",
      platformSessions.shown.list,
      sessions,
      "Nobody is signed in to it.",
      ({ id }) => actionLinks(visit, [revokeSession], String(id), `?account=${accountId}`),
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

const screen = screenOf(table, {
  acts: () => [revokeSessions, eraseAccount],
  show: async (visit, account: PlatformAccount) =>
    html`${rowFacts(table, account)}${await sessionsOf(visit, account.id)}`,
});

export const accounts: Screen = {
  ...screen,
  actions: [revokeSession, revokeSessions, ...(screen.actions ?? [])],
};
