import { html } from "@platform/kit/web/http";
import { textsOf } from "../../locales/texts.ts";
import type { AccountVisit, GuardedPage, Visitor } from "../account/account-visit.ts";
import { pageAddress } from "../page-address.ts";
import { errorSummary, field, form, hiddenAddress, mainButton, passwordField } from "./form.ts";
import type { Page } from "./layout.ts";

/** @param problem the error of the last attempt, and the address that was entered */
export function accountSignInPage(visitor: Visitor, problem: { message: string; email: string } | null): Page {
  const { language } = visitor;
  const texts = textsOf(language);
  const hasError = problem !== null;
  return {
    language,
    title: texts("account.signIn.title"),
    hasError,
    at: "account/sign-in",
    body: html`<h1>${texts("account.signIn.title")}</h1>
${errorSummary(language, problem?.message ?? null, "email")}
<p>${texts("account.signIn.intro")}</p>
${form(
  visitor,
  "account/sign-in",
  html`${field({
    id: "email",
    label: texts("email"),
    type: "email",
    autocomplete: "username",
    value: problem?.email ?? "",
    hasError,
    maxlength: 255,
  })}
${passwordField(language, { label: texts("password"), autocomplete: "current-password", hasError })}
${mainButton(language, "signIn.button")}`,
)}`,
  };
}

/** Asks for the password before a change. @param next the page that follows */
export function accountReauthenticatePage(visit: AccountVisit, next: GuardedPage, message: string | null): Page {
  const { language, email } = visit;
  const texts = textsOf(language);
  return {
    language,
    title: texts("reauthenticate.title"),
    hasError: message !== null,
    at: "account/reauthenticate",
    body: html`<h1>${texts("reauthenticate.title")}</h1>
${errorSummary(language, message, "password")}
<p>${texts("account.recent.intro")}</p>
${form(
  visit,
  "account/reauthenticate",
  html`<input type="hidden" name="next" value="${next}">
${hiddenAddress(language, email)}
${passwordField(language, { label: texts("password"), autocomplete: "current-password", hasError: message !== null })}
${mainButton(language, "reauthenticate.button")}`,
)}
<p class="other"><a href="${pageAddress("account")}">${texts("account.back")}</a></p>`,
  };
}
