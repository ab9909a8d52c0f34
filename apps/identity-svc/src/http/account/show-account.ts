import type { RequestHandler } from "express";
import { exportAccount, listLinkedProjects } from "../../operations/export-account.ts";
import { closeSession } from "../../operations/open-session.ts";
import { formField } from "../inputs.ts";
import { accountPage } from "../pages/account-page.ts";
import { leadTo, sendPage } from "../send-page.ts";
import type { HostedPages } from "../visit.ts";
import { leadToAccount, recentlySignedIn, signedIn, takeNotice } from "./account-visit.ts";

/** Shows the person's account: addresses, linked projects, sessions, and the available actions. */
export function showAccountRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return signedIn(pages, async (visit, request, response) => {
    const [projects, sessions] = await Promise.all([
      listLinkedProjects(context, visit.account.id),
      context.sessions.listUsable(visit.account.id, context.clock()),
    ]);
    sendPage(response, accountPage(visit, { projects, sessions, notice: takeNotice(pages, request, response) }));
  });
}

/** Ends one of the person's own sessions. Another person's session is treated like one that does not exist. */
export function endSessionRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return signedIn(pages, async (visit, request, response) => {
    const id = formField(request, "session");
    const session = await context.sessions.find(id);
    if (session === null || session.account_id !== visit.account.id) return leadTo(response, "account");
    await closeSession(context, id);
    leadToAccount(pages, response, "session_ended");
  });
}

export function endOtherSessionsRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return signedIn(pages, async (visit, _request, response) => {
    for (const { id } of await context.sessions.listUsable(visit.account.id, context.clock())) {
      if (id !== visit.session.id) await closeSession(context, id);
    }
    leadToAccount(pages, response, "sessions_ended");
  });
}

/** Sends all data that identity-svc stores about the person, as a file. */
export function downloadDataRoute(pages: HostedPages): RequestHandler {
  return recentlySignedIn(pages, "data", async (visit, _request, response) => {
    const data = await exportAccount(pages.context, visit.account);
    response
      .set("content-disposition", 'attachment; filename="platform-account.json"')
      .type("application/json")
      .send(`${JSON.stringify(data, null, 2)}\n`);
  });
}
