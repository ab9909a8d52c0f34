import type { RequestHandler } from "express";
import { passwordProblem } from "../../domain/password-rule.ts";
import { textsOf } from "../../locales/texts.ts";
import { changePassword } from "../../operations/change-password.ts";
import { formField } from "../inputs.ts";
import { accountPasswordPage } from "../pages/account-change-pages.ts";
import { setSessionCookie } from "../routes/sign-in.ts";
import { sendPage } from "../send-page.ts";
import type { HostedPages } from "../visit.ts";
import { leadToAccount, recentlySignedIn } from "./account-visit.ts";

export function showPasswordRoute(pages: HostedPages): RequestHandler {
  return recentlySignedIn(pages, "password", async (visit, _request, response) => {
    sendPage(response, accountPasswordPage(visit, null));
  });
}

/** Sets a new password and ends every other session. */
export function changePasswordRoute(pages: HostedPages): RequestHandler {
  return recentlySignedIn(pages, "password", async (visit, request, response) => {
    const { account, email, language } = visit;
    const password = formField(request, "password");
    const problem = passwordProblem(password, email);
    if (problem !== null) {
      return sendPage(response, accountPasswordPage(visit, textsOf(language)(`newPassword.${problem}`)), 422);
    }
    const { token } = await changePassword(pages.context, account, password, language);
    setSessionCookie(pages, response, token);
    leadToAccount(pages, response, "password_changed");
  });
}
