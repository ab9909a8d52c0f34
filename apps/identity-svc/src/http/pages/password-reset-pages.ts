import { html } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import type { PasswordReset } from "../../domain/password-reset.ts";
import { textsOf } from "../../locales/texts.ts";
import { pageAddress } from "../page-address.ts";
import type { Visit } from "../visit.ts";
import { errorSummary, field, form, mainButton, newPasswordFields } from "./form.ts";
import { cancelForm, type Page, stepHeading } from "./layout.ts";

/** @param isAsked whether an address was submitted; the page is the same for every address */
export function forgotPasswordPage(visit: Visit, isAsked: boolean, message: string | null): Page {
  const texts = textsOf(visit.language);
  const title = texts(isAsked ? "forgot.asked.title" : "forgot.title");
  return {
    language: visit.language,
    brand: visit.brand,
    title,
    hasError: message !== null,
    ...(isAsked ? {} : { at: "forgot-password" }),
    body: html`${stepHeading(visit, 1, title)}
${errorSummary(visit.language, message, "email")}
${isAsked ? html`<p>${texts("forgot.asked")}</p>` : forgottenForm(visit, message !== null)}
<p class="other"><a href="${pageAddress("sign-in")}">${texts("forgot.back")}</a></p>
${cancelForm(visit)}`,
  };
}

function forgottenForm(visit: Visit, hasError: boolean) {
  const texts = textsOf(visit.language);
  return html`<p>${texts("forgot.intro")}</p>
${form(
  visit,
  "forgot-password",
  html`${field({
    id: "email",
    label: texts("email"),
    type: "email",
    autocomplete: "username",
    value: visit.transaction.email,
    hasError,
    maxlength: 255,
  })}
${mainButton(visit.language, "verify.send")}`,
)}`;
}

/**
 * The form that the emailed link opens. From here on, the link's token is no longer in the address: it is posted in
 * the body.
 */
export function resetPasswordPage(
  reset: Pick<PasswordReset, "email" | "language">,
  token: string,
  formToken: string,
  message: string | null,
): Page {
  const { language, email } = reset;
  const texts = textsOf(language);
  return {
    language,
    title: texts("reset.title"),
    hasError: message !== null,
    at: `reset-password/${token}`,
    body: html`<h1>${texts("reset.title")}</h1>
${errorSummary(language, message, "password")}
<p>${texts("reset.intro")}</p>
${form(
  { formToken },
  "reset-password",
  html`<input type="hidden" name="token" value="${token}">
${newPasswordFields(language, email, message !== null)}
${mainButton(language, "reset.button")}`,
)}`,
  };
}

/** @param signInHref the sign-in page of the waiting browser */
export function passwordChangedPage(language: Language, signInHref: string | null): Page {
  const texts = textsOf(language);
  return {
    language,
    title: texts("reset.done.title"),
    body: html`<h1>${texts("reset.done.title")}</h1>
<p>${texts("reset.done")}</p>
${signInHref !== null && html`<p><a class="btn btn-primary" href="${signInHref}">${texts("register.signIn")}</a></p>`}`,
  };
}
