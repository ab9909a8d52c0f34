import { html } from "@platform/kit/web/http";
import { pageAddress } from "../page-address.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import { cancelForm, errorSummary, form, newPasswordFields, type Page, stepHeading } from "./layout.ts";

/** The transaction fixes the address, so the pages mail nobody the project did not name. */
export function registerPage(visit: Visit, message: string | null): Page {
  const texts = textsOf(visit.language);
  return {
    language: visit.language,
    title: texts.registerTitle,
    hasError: message !== null,
    body: html`${stepHeading(visit, 1, texts.registerTitle)}
${errorSummary(visit.language, message, "password")}
<p>${texts.registerIntro(visit.project.name)}</p>
${form(
  visit,
  "register",
  html`${newPasswordFields(visit.language, visit.transaction.email, message !== null)}
<button type="submit">${texts.registerButton}</button>`,
)}
<p class="other">${texts.haveAccount} <a href="${pageAddress("sign-in")}">${texts.signInLink}</a></p>
${cancelForm(visit)}`,
  };
}
