import { hashToken } from "@platform/kit/process/secrets";
import type { Request, RequestHandler } from "express";
import type { PasswordReset } from "../../domain/password-reset.ts";
import { passwordProblem } from "../../domain/password-rule.ts";
import { textsOf } from "../../locales/texts.ts";
import { requestPasswordReset, resetPassword } from "../../operations/reset-password.ts";
import { pageLanguage } from "../chosen-language.ts";
import { formToken, requireOwnForm } from "../form-token.ts";
import { formField, pathParameter, queryParameter } from "../inputs.ts";
import { pageAddress } from "../page-address.ts";
import { PageProblem } from "../page-problem.ts";
import { forgotPasswordPage, passwordChangedPage, resetPasswordPage } from "../pages/password-reset-pages.ts";
import { requestSource } from "../request-source.ts";
import { leadTo, sendPage } from "../send-page.ts";
import { findBoundContinuation, type HostedPages, loadVisit } from "../visit.ts";

/** Asks for the address, or reports that an email may have been sent, with the same response for every address. */
export function showForgotPasswordRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    if (visit.step !== "sign-in") return leadTo(response, visit.step);
    const isAsked = queryParameter(request, "asked") !== "";
    sendPage(response, forgotPasswordPage(visit, isAsked, null));
  };
}

export function forgotPasswordRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "sign-in") return leadTo(response, visit.step);
    const { language } = visit;
    const asked = { email: formField(request, "email"), language, source: requestSource(request) };
    const lockedUntil = await requestPasswordReset(context, asked);
    if (lockedUntil === null) return leadTo(response, "forgot-password?asked=1");
    const seconds = Math.max(1, Math.ceil((lockedUntil.getTime() - context.clock().getTime()) / 1000));
    response.set("retry-after", String(seconds));
    const page = forgotPasswordPage(visit, false, textsOf(language)("signIn.locked"));
    sendPage(response, page, 429);
  };
}

/**
 * Shows the form behind the emailed link. Opening the link does not consume it, in any browser; only submitting the
 * form does.
 */
export function showResetPasswordRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const token = pathParameter(request, "token");
    const reset = await findReset(pages, token);
    const language = pageLanguage(pages.cookies, request, reset.language);
    sendPage(response, resetPasswordPage({ ...reset, language }, token, tokenOfForm(pages, token), null));
  };
}

/** The form's token is derived from the link's, so only the holder of the emailed link knows it. */
export function resetPasswordRoute(pages: HostedPages): RequestHandler {
  const { context } = pages;
  return async (request, response) => {
    const token = formField(request, "token");
    requireOwnForm(request, tokenOfForm(pages, token));
    const found = await findReset(pages, token);
    const reset = { ...found, language: pageLanguage(pages.cookies, request, found.language) };
    const password = formField(request, "password");
    const problem = passwordProblem(password, reset.email);
    if (problem !== null) {
      const message = textsOf(reset.language)(`newPassword.${problem}`);
      const page = resetPasswordPage(reset, token, tokenOfForm(pages, token), message);
      return sendPage(response, page, 422);
    }
    if ((await resetPassword(context, token, password, requestSource(request))) === null) throw linkDead();
    sendPage(response, passwordChangedPage(reset.language, await wayOn(pages, request)));
  };
}

/** @throws PageProblem reset_link_used for every link that cannot be used */
async function findReset({ context }: HostedPages, token: string): Promise<PasswordReset> {
  const isToken = /^[0-9a-f]{64}$/.test(token);
  const reset = isToken ? await context.passwordResets.findUsable(hashToken(token), context.clock()) : null;
  if (reset === null) throw linkDead();
  return reset;
}

function linkDead(): PageProblem {
  return new PageProblem("reset_link_used");
}

function tokenOfForm({ context }: HostedPages, token: string): string {
  return formToken(context.keyring.current, `password-reset ${token}`);
}

/** Returns the sign-in page, if this browser is still at that step of a flow, and null otherwise. */
async function wayOn(pages: HostedPages, request: Request): Promise<string | null> {
  return (await findBoundContinuation(pages, request)) === null ? null : pageAddress("sign-in");
}
