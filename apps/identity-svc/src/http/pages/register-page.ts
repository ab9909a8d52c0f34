import { html } from "@platform/kit/web/http";
import { textsOf } from "../../locales/texts.ts";
import { pageAddress } from "../page-address.ts";
import type { Visit } from "../visit.ts";
import { errorSummary, form, mainButton, newPasswordFields } from "./form.ts";
import { cancelForm, type Page, stepHeading } from "./layout.ts";

/**
 * The form for a new account. It does not ask for an address, because the transaction determines it: the pages send
 * email only to addresses that a project has given.
 */
export function registerPage(visit: Visit, message: string | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  return {
    language,
    brand: visit.brand,
    title: texts("register.title"),
    hasError: message !== null,
    at: "register",
    body: html`${stepHeading(visit, 1, texts("register.title"))}
${errorSummary(language, message, "password")}
<p>${texts("register.intro", { project: visit.project.name })}</p>
${form(
  visit,
  "register",
  html`${newPasswordFields(language, visit.transaction.email, message !== null)}
${mainButton(language, "register.button")}`,
)}
<p class="other">${texts("register.haveAccount")} <a href="${pageAddress("sign-in")}">${texts("register.signIn")}</a></p>
${cancelForm(visit)}`,
  };
}
