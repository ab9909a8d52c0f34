import { html } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import type { PasswordReset } from "../../domain/password-reset.ts";
import { pageAddress } from "../page-address.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import { cancelForm, errorSummary, field, form, newPasswordFields, type Page, stepHeading } from "./layout.ts";

/** @param isAsked whether an address was submitted; the page does not depend on which */
export function forgotPasswordPage(visit: Visit, isAsked: boolean, message: string | null): Page {
  const texts = textsOf(visit.language);
  const title = isAsked ? texts.forgotAskedTitle : texts.forgotTitle;
  return {
    language: visit.language,
    title,
    hasError: message !== null,
    body: html`${stepHeading(visit, 1, title)}
${errorSummary(visit.language, message, "email")}
${
  isAsked
    ? html`<p>${texts.forgotAsked}</p>`
    : html`<p>${texts.forgotIntro}</p>
${form(
  visit,
  "forgot-password",
  html`${field({
    id: "email",
    label: texts.email,
    type: "email",
    autocomplete: "username",
    value: visit.transaction.email,
    hasError: message !== null,
    maxlength: 255,
  })}
<button type="submit">${texts.sendButton}</button>`,
)}`
}
<p class="other"><a href="${pageAddress("sign-in")}">${texts.backToSignIn}</a></p>
${cancelForm(visit)}`,
  };
}

/** The form behind the mailed link. The link's token leaves the address here: it is posted in the body. */
export function resetPasswordPage(
  reset: PasswordReset,
  token: string,
  formToken: string,
  message: string | null,
): Page {
  const texts = textsOf(reset.language);
  return {
    language: reset.language,
    title: texts.resetTitle,
    hasError: message !== null,
    body: html`<h1>${texts.resetTitle}</h1>
${errorSummary(reset.language, message, "password")}
<p>${texts.resetIntro}</p>
<form method="post" action="${pageAddress("reset-password")}" novalidate>
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${token}">
${newPasswordFields(reset.language, reset.email, message !== null)}
<button type="submit">${texts.resetButton}</button>
</form>`,
  };
}

/** @param signInHref the sign-in page of the waiting browser */
export function passwordChangedPage(language: Language, signInHref: string | null): Page {
  const texts = textsOf(language);
  return {
    language,
    title: texts.changedTitle,
    body: html`<h1>${texts.changedTitle}</h1>
<p>${texts.changedText}</p>
${signInHref !== null && html`<p><a class="button" href="${signInHref}">${texts.signInLink}</a></p>`}`,
  };
}
