import type { Request, RequestHandler, Response } from "express";
import type { PlatformAccount } from "../../domain/platform-account.ts";
import { textsOf } from "../../locales/texts.ts";
import { closeSession, openSession } from "../../operations/open-session.ts";
import { reauthenticate, type SignInResult, signIn } from "../../operations/sign-in.ts";
import { requireOwnForm } from "../form-token.ts";
import { formField, queryParameter } from "../inputs.ts";
import { accountReauthenticatePage, accountSignInPage } from "../pages/account-sign-in-pages.ts";
import type { Page } from "../pages/layout.ts";
import { isSourceShared, requestSource } from "../request-source.ts";
import { setSessionCookie } from "../routes/sign-in.ts";
import { leadTo, sendPage } from "../send-page.ts";
import { findVisitorsSession, type HostedPages } from "../visit.ts";
import {
  type GuardedPage,
  guardedPages,
  readAccountVisit,
  readVisitor,
  signedIn,
  type Visitor,
} from "./account-visit.ts";

export function showAccountSignInRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    if ((await readAccountVisit(pages, request)) !== null) return leadTo(response, "account");
    sendPage(response, accountSignInPage(readVisitor(pages, request, response), null));
  };
}

/**
 * Signs a person in without a project. Unknown addresses and wrong passwords get the same response. Failed attempts
 * count towards the same limits as on the pages of a migration.
 */
export function signInToAccountRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visitor = readVisitor(pages, request, null);
    requireOwnForm(request, visitor.formToken);
    const begunAt = pages.context.clock();
    const email = formField(request, "email");
    const result = await signIn(pages.context, { email, ...triedBy(request) });
    if (result.isSignedIn) {
      await enter(pages, request, response, result.account, begunAt);
      return leadTo(response, "account");
    }
    const refused = textsOf(visitor.language)("signIn.refused");
    refuse(response, visitor, result, refused, (message) => accountSignInPage(visitor, { message, email }));
  };
}

export function showReauthenticateRoute(pages: HostedPages): RequestHandler {
  return signedIn(pages, async (visit, request, response) => {
    const next = guarded(queryParameter(request, "next"));
    if (visit.isRecent) return leadTo(response, pageAfter(next));
    sendPage(response, accountReauthenticatePage(visit, next, null));
  });
}

export function reauthenticateAccountRoute(pages: HostedPages): RequestHandler {
  return signedIn(pages, async (visit, request, response) => {
    const next = guarded(formField(request, "next"));
    const begunAt = pages.context.clock();
    const result = await reauthenticate(pages.context, { accountId: visit.account.id, ...triedBy(request) });
    if (result.isSignedIn) {
      await enter(pages, request, response, result.account, begunAt);
      return leadTo(response, pageAfter(next));
    }
    const refused = textsOf(visit.language)("reauthenticate.refused");
    refuse(response, visit, result, refused, (message) => accountReauthenticatePage(visit, next, message));
  });
}

export function signOutOfAccountRoute(pages: HostedPages): RequestHandler {
  return signedIn(pages, async ({ session }, _request, response) => {
    await closeSession(pages.context, session.id);
    pages.cookies.clear(response, "platform_session");
    leadTo(response, "account/sign-in");
  });
}

const triedBy = (request: Request) => ({
  password: formField(request, "password"),
  source: requestSource(request),
  isSourceShared: isSourceShared(request),
});

/**
 * Opens a new session for this sign-in and ends the one that the browser presented, so that a session that an
 * attacker planted in the browser is worthless.
 */
async function enter(
  pages: HostedPages,
  request: Request,
  response: Response,
  account: PlatformAccount,
  begunAt: Date,
): Promise<void> {
  const brought = await findVisitorsSession(pages, request);
  // The time is taken before the password check, so that a password change in the meantime also ends this session.
  const { token } = await openSession(pages.context, account.id, begunAt);
  if (brought !== null) await closeSession(pages.context, brought.id);
  setSessionCookie(pages, response, token);
}

function refuse(
  response: Response,
  { language }: Visitor,
  result: Extract<SignInResult, { isSignedIn: false }>,
  refused: string,
  render: (message: string) => Page,
): void {
  const isLocked = result.reason === "locked";
  if (isLocked) response.set("retry-after", String(result.retryAfterSeconds));
  const message = isLocked ? textsOf(language)("signIn.locked") : refused;
  sendPage(response, render(message), isLocked ? 429 : 422);
}

const guarded = (name: string): GuardedPage => guardedPages.find((page) => page === name) ?? "data";

/** Returns the page to show after the sign-in. The download has no page of its own; its form is on the account page. */
const pageAfter = (next: GuardedPage): string => (next === "data" ? "account" : `account/${next}`);
