import { html } from "@platform/kit/web/http";
import { textsOf } from "../../locales/texts.ts";
import { pageAddress } from "../page-address.ts";
import type { Visit } from "../visit.ts";
import { errorSummary, field, form, mainButton, passwordField } from "./form.ts";
import { cancelForm, type Page, stepHeading } from "./layout.ts";

/** @param problem the error of the last attempt, and the address that was entered */
export function signInPage(visit: Visit, problem: { message: string; email: string } | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  const hasError = problem !== null;
  return {
    language,
    brand: visit.brand,
    title: texts("signIn.title"),
    hasError,
    at: "sign-in",
    body: html`${stepHeading(visit, 1, texts("signIn.title"))}
${errorSummary(language, problem?.message ?? null, "email")}
<p>${texts("signIn.intro", { project: visit.project.name })}</p>
${form(
  visit,
  "sign-in",
  html`${field({
    id: "email",
    label: texts("email"),
    type: "email",
    autocomplete: "username",
    value: problem?.email ?? visit.transaction.email,
    hasError,
    maxlength: 255,
  })}
${passwordField(language, { label: texts("password"), autocomplete: "current-password", hasError })}
${mainButton(language, "signIn.button")}`,
)}
<p class="other"><a href="${pageAddress("forgot-password")}">${texts("forgot.link")}</a></p>
<p class="other">${texts("signIn.noAccount")} <a href="${pageAddress("register")}">${texts("signIn.register")}</a></p>
${cancelForm(visit)}`,
  };
}
