import type { RequestHandler, Response } from "express";
import type { HostedStep } from "../../domain/hosted-step.ts";
import type { PlatformAccount } from "../../domain/platform-account.ts";
import { sessionLifetimeSeconds } from "../../domain/platform-session.ts";
import { textsOf } from "../../locales/texts.ts";
import { beginVerification } from "../../operations/begin-verification.ts";
import { closeSession, openSession } from "../../operations/open-session.ts";
import { reauthenticate, type SignInResult, signIn } from "../../operations/sign-in.ts";
import { requireOwnForm } from "../form-token.ts";
import { formField } from "../inputs.ts";
import type { Page } from "../pages/layout.ts";
import { reauthenticatePage } from "../pages/reauthenticate-page.ts";
import { signInPage } from "../pages/sign-in-page.ts";
import { isSourceShared, requestSource } from "../request-source.ts";
import { leadTo, sendPage } from "../send-page.ts";
import { shownEmail } from "../shown-email.ts";
import { type HostedPages, loadVisit, stepOf, type Visit } from "../visit.ts";

type Refusal = Extract<SignInResult, { isSignedIn: false }>;

/** Shows the page of a step, or redirects to the step that is currently open. */
export function showStep(pages: HostedPages, step: HostedStep, render: (visit: Visit) => Page): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    if (visit.step !== step) return leadTo(response, visit.step);
    sendPage(response, render(visit));
  };
}

export function signInRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "sign-in") return leadTo(response, visit.step);
    const begunAt = pages.context.clock();
    const email = formField(request, "email");
    const password = formField(request, "password");
    const result = await signIn(pages.context, {
      email,
      password,
      source: requestSource(request),
      isSourceShared: isSourceShared(request),
    });
    if (result.isSignedIn) return enter(pages, response, visit, result.account, begunAt);
    const texts = textsOf(visit.language);
    refuse(response, visit, result, texts("signIn.refused"), (message) => signInPage(visit, { message, email }));
  };
}

export function reauthenticateRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "reauthenticate" || visit.account === null) return leadTo(response, visit.step);
    const begunAt = pages.context.clock();
    const result = await reauthenticate(pages.context, {
      accountId: visit.account.id,
      password: formField(request, "password"),
      source: requestSource(request),
      isSourceShared: isSourceShared(request),
    });
    if (result.isSignedIn) return enter(pages, response, visit, result.account, begunAt);
    const texts = textsOf(visit.language);
    refuse(response, visit, result, texts("reauthenticate.refused"), (message) => reauthenticatePage(visit, message));
  };
}

function refuse(
  response: Response,
  visit: Visit,
  result: Refusal,
  refused: string,
  render: (message: string) => Page,
): void {
  const isLocked = result.reason === "locked";
  if (isLocked) response.set("retry-after", String(result.retryAfterSeconds));
  const message = isLocked ? textsOf(visit.language)("signIn.locked") : refused;
  sendPage(response, render(message), isLocked ? 429 : 422);
}

/**
 * Opens a new session for this sign-in, ends the one that the browser presented, and sends the email that the next step
 * requires.
 */
async function enter(
  pages: HostedPages,
  response: Response,
  visit: Visit,
  account: PlatformAccount,
  begunAt: Date,
): Promise<void> {
  const { context } = pages;
  // The time is taken before the password check, so that a password change in the meantime also ends this session.
  const { session, token } = await openSession(context, account.id, begunAt);
  if (visit.session !== null) await closeSession(context, visit.session.id);
  setSessionCookie(pages, response, token);
  const step = stepOf(context, visit.transaction, session, account);
  if (step === "verify-email" && account.login_identifiers.length > 0) {
    const email = shownEmail({ account, transaction: visit.transaction });
    const wanted = { account_id: account.id, email, kind: "code_and_link", language: visit.language } as const;
    // The email is rejected if another one was sent shortly before; the next page then offers to send one.
    await beginVerification(context, visit.transaction.id, wanted, "refuse");
  }
  leadTo(response, step);
}

/** Sets the browser's session cookie. */
export function setSessionCookie({ cookies }: HostedPages, response: Response, token: string): void {
  cookies.set(response, "platform_session", token, sessionLifetimeSeconds);
}
