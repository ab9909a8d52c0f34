import { html } from "@platform/kit/web/http";
import { textsOf } from "../../locales/texts.ts";
import { shownEmail } from "../shown-email.ts";
import type { Visit } from "../visit.ts";
import { errorSummary, form, hiddenAddress, mainButton, passwordField } from "./form.ts";
import { cancelForm, type Page, signedInAs, stepHeading } from "./layout.ts";

export function reauthenticatePage(visit: Visit, message: string | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  const email = shownEmail(visit);
  return {
    language,
    brand: visit.brand,
    title: texts("reauthenticate.title"),
    hasError: message !== null,
    at: "reauthenticate",
    body: html`${stepHeading(visit, 1, texts("reauthenticate.title"))}
${errorSummary(language, message, "password")}
${signedInAs(visit, email)}
<p>${texts("reauthenticate.intro")}</p>
${form(
  visit,
  "reauthenticate",
  html`${hiddenAddress(language, email)}
${passwordField(language, { label: texts("password"), autocomplete: "current-password", hasError: message !== null })}
${mainButton(language, "reauthenticate.button")}`,
)}
${cancelForm(visit)}`,
  };
}
