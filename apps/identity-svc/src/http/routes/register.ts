import type { RequestHandler } from "express";
import { passwordProblem } from "../../domain/password-rule.ts";
import { textsOf } from "../../locales/texts.ts";
import { registerAccount } from "../../operations/register-account.ts";
import { requireOwnForm } from "../form-token.ts";
import { formField } from "../inputs.ts";
import { registerPage } from "../pages/register-page.ts";
import { leadTo, sendPage } from "../send-page.ts";
import { type HostedPages, loadVisit } from "../visit.ts";
import { setSessionCookie } from "./sign-in.ts";

export function registerRoute(pages: HostedPages): RequestHandler {
  return async (request, response) => {
    const visit = await loadVisit(pages, request);
    requireOwnForm(request, visit.formToken);
    if (visit.step !== "sign-in") return leadTo(response, visit.step);
    const texts = textsOf(visit.language);
    const password = formField(request, "password");
    const problem = passwordProblem(password, visit.transaction.email);
    if (problem !== null) {
      const page = registerPage(visit, texts(`newPassword.${problem}`));
      return sendPage(response, page, 422);
    }
    const opened = await registerAccount(pages.context, visit.transaction, password, visit.language);
    if (typeof opened === "string") {
      return sendPage(response, registerPage(visit, texts(`verify.${opened}`)), 429);
    }
    setSessionCookie(pages, response, opened.token);
    leadTo(response, "verify-email");
  };
}
