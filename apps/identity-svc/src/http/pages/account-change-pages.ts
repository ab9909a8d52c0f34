import { html, type SafeHtml } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { textsOf } from "../../locales/texts.ts";
import type { AccountVisit } from "../account/account-visit.ts";
import { pageAddress } from "../page-address.ts";
import { errorSummary, field, form, mainButton, newPasswordFields } from "./form.ts";
import type { Page } from "./layout.ts";

export function accountPasswordPage(visit: AccountVisit, message: string | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  return {
    language,
    title: texts("account.password.change"),
    hasError: message !== null,
    at: "account/password",
    body: html`<h1>${texts("account.password.change")}</h1>
${errorSummary(language, message, "password")}
<p>${texts("account.password.text")}</p>
${form(
  visit,
  "account/password",
  html`${newPasswordFields(language, visit.email, message !== null)}
${mainButton(language, "account.newPassword.button")}`,
)}
${wayBack(language)}`,
  };
}

/** @param problem the error in the typed address, and that address */
export function accountAddressPage(visit: AccountVisit, problem: { message: string; email: string } | null): Page {
  const { language, email } = visit;
  const texts = textsOf(language);
  return {
    language,
    title: texts("account.address.change"),
    hasError: problem !== null,
    at: "account/address",
    body: html`<h1>${texts("account.address.change")}</h1>
${errorSummary(language, problem?.message ?? null, "email")}
<p>${texts("account.newAddress.intro", { email })}</p>
${form(
  visit,
  "account/address",
  html`${field({
    id: "email",
    label: texts("account.newAddress"),
    type: "email",
    autocomplete: "email",
    value: problem?.email ?? "",
    hasError: problem !== null,
    maxlength: 255,
  })}
${mainButton(language, "account.newAddress.button")}`,
)}
${wayBack(language)}`,
  };
}

/** @param asked the new address, to which the code was sent */
export function accountCodePage(visit: AccountVisit, asked: string, message: string | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  return {
    language,
    title: texts("account.address.change"),
    hasError: message !== null,
    at: "account/address",
    body: html`<h1>${texts("account.address.change")}</h1>
${errorSummary(language, message, "code")}
<p>${texts("account.newAddress.sent", { email: asked })}</p>
${form(
  visit,
  "account/address-code",
  html`${field({
    id: "code",
    label: texts("code"),
    hint: texts("code.hint"),
    type: "text",
    autocomplete: "one-time-code",
    inputmode: "numeric",
    maxlength: 12,
    hasError: message !== null,
  })}
${mainButton(language, "account.address.change")}`,
)}
<p class="other"><a href="${pageAddress("account/address?asked=1")}">${texts("account.newAddress.other")}</a></p>
${wayBack(language)}`,
  };
}

function wayBack(language: Language): SafeHtml {
  return html`<p class="other"><a href="${pageAddress("account")}">${textsOf(language)("account.back")}</a></p>`;
}
