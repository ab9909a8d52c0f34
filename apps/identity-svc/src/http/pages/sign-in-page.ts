import { html } from "@platform/kit/web/http";
import { pageAddress } from "../page-address.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import { cancelForm, errorSummary, field, form, type Page, stepHeading } from "./layout.ts";

/** @param problem what was wrong with the last try, and the address it was made with */
export function signInPage(visit: Visit, problem: { message: string; email: string } | null): Page {
  const texts = textsOf(visit.language);
  return {
    language: visit.language,
    title: texts.signInTitle,
    hasError: problem !== null,
    body: html`${stepHeading(visit, 1, texts.signInTitle)}
${errorSummary(visit.language, problem?.message ?? null, "email")}
<p>${texts.signInIntro(visit.project.name)}</p>
${form(
  visit,
  "sign-in",
  html`${field({
    id: "email",
    label: texts.email,
    type: "email",
    autocomplete: "username",
    value: problem?.email ?? visit.transaction.email,
    hasError: problem !== null,
    maxlength: 255,
  })}
${field({ id: "password", label: texts.password, type: "password", autocomplete: "current-password", hasError: problem !== null })}
<button type="submit">${texts.signInButton}</button>`,
)}
<p class="other"><a href="${pageAddress("forgot-password")}">${texts.forgotLink}</a></p>
<p class="other">${texts.noAccountYet} <a href="${pageAddress("register")}">${texts.registerLink}</a></p>
${cancelForm(visit)}`,
  };
}
