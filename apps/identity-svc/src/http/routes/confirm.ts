import { isServiceError } from "@platform/kit/rpc/errors";
import type { RequestHandler } from "express";
import { linkAccount } from "../../operations/link-account.ts";
import { closeSession } from "../../operations/open-session.ts";
import { requireOwnForm } from "../form-token.ts";
import { formField } from "../inputs.ts";
import { PageProblem } from "../page-problem.ts";
import { returnPage } from "../pages/return-page.ts";
import { leadTo, sendPage } from "../send-page.ts";
import { findVisitorsSession, type HostedPages, loadVisit, readVisit, returnAddress } from "../visit.ts";

/**
 * Links the account. If the process crashes between the link and the response, posting the form again has the same
 * result.
 */
export function confirmRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "confirm" || visit.account === null) return leadTo(response, visit.step);
    // The page showed another account than the one that is signed in now, so it is shown again with the current one.
    if (formField(request, "account") !== visit.account.id) return leadTo(response, "confirm");
    try {
      await linkAccount(context, visit.transaction, visit.account.id);
    } catch (error) {
      if (isServiceError(error, "account_already_linked")) throw new PageProblem("linked_elsewhere");
      if (isServiceError(error, "identity_migration_transaction_expired")) throw new PageProblem("transaction_expired");
      throw error;
    }
    await context.continuations.settle(visit.continuation.id, "linked");
    leadTo(response, "return");
  };
}

/**
 * Cancels without linking. If the accounts are linked already, the link is kept, and the outcome for the project is
 * `linked`.
 */
export function cancelRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const visit = await readVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    const isLinkedHere = visit.session !== null && visit.transaction.account_id === visit.session.account_id;
    await context.continuations.settle(visit.continuation.id, isLinkedHere ? "linked" : "cancelled");
    leadTo(response, "return");
  };
}

/** Leads to the project once the continuation has ended; before that, to the current step. */
export function returnRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await readVisit(pages, request);
    const { outcome } = visit.continuation;
    if (outcome === null) return leadTo(response, "sign-in");
    sendPage(response, returnPage(visit, returnAddress(visit, outcome)));
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
