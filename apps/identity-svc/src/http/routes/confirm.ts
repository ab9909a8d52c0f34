import { isServiceError } from "@platform/service-kit/errors/service-error";
import type { RequestHandler } from "express";
import { returnLocation } from "../../domain/return-uri.ts";
import { linkAccount } from "../../operations/link-account.ts";
import { closeSession } from "../../operations/open-session.ts";
import { formField, requireOwnForm } from "../form-token.ts";
import { PageProblem } from "../page-problem.ts";
import { leadTo } from "../send-page.ts";
import { findVisitorsSession, type HostedPages, loadVisit, readVisit, type Visit } from "../visit.ts";

function returnTo({ continuation, transaction }: Visit, status: "link_pending" | "cancelled"): string {
  return returnLocation(continuation.return_uri, {
    transactionId: transaction.id,
    state: continuation.state,
    status,
  });
}

/** Links the account. After a crash between the link and the redirect, the same form gives the same answer. */
export function confirmRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "confirm" || visit.account === null) return leadTo(response, visit.step);
    // The page named another account than the one signed in now, so it is shown again with the present one.
    if (formField(request, "account") !== visit.account.id) return leadTo(response, "confirm");
    try {
      await linkAccount(context, visit.transaction, visit.account.id);
    } catch (error) {
      if (isServiceError(error, "account_already_linked")) throw new PageProblem("linked_elsewhere");
      if (isServiceError(error, "identity_migration_transaction_expired")) throw new PageProblem("transaction_expired");
      throw error;
    }
    await context.continuations.settle(visit.continuation.id, "linked");
    response.redirect(303, returnTo(visit, "link_pending"));
  };
}

/** Cancels without linking. An existing link stays, and the project is told so. */
export function cancelRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const visit = await readVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    const isLinkedHere = visit.session !== null && visit.transaction.account_id === visit.session.account_id;
    const outcome = await context.continuations.settle(visit.continuation.id, isLinkedHere ? "linked" : "cancelled");
    response.redirect(303, returnTo(visit, outcome === "linked" ? "link_pending" : "cancelled"));
  };
}

export function signOutRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await readVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    const session = await findVisitorsSession(pages, request);
    if (session !== null) await closeSession(pages.context, session.id);
    pages.cookies.clear(response, "platform_session");
    leadTo(response, "sign-in");
  };
}
