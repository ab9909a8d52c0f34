import { html } from "@platform/kit/web/http";
import { shownEmail } from "../shown-email.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import { cancelForm, errorSummary, field, form, type Page, signedInAs, stepHeading } from "./layout.ts";

export function reauthenticatePage(visit: Visit, message: string | null): Page {
  const texts = textsOf(visit.language);
  const email = shownEmail(visit);
  return {
    language: visit.language,
    title: texts.reauthenticateTitle,
    hasError: message !== null,
    body: html`${stepHeading(visit, 1, texts.reauthenticateTitle)}
${errorSummary(visit.language, message, "password")}
${signedInAs(visit, email)}
<p>${texts.reauthenticateIntro}</p>
${form(
  visit,
  "reauthenticate",
  html`<input class="hidden" type="email" autocomplete="username" value="${email}" aria-label="${texts.email}" readonly tabindex="-1">
${field({ id: "password", label: texts.password, type: "password", autocomplete: "current-password", hasError: message !== null })}
<button type="submit">${texts.reauthenticateButton}</button>`,
)}
${cancelForm(visit)}`,
  };
}
