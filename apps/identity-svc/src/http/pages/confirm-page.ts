import { html } from "@platform/kit/web/http";
import { textsOf } from "../../locales/texts.ts";
import { shownEmail } from "../shown-email.ts";
import type { Visit } from "../visit.ts";
import { form, mainButton } from "./form.ts";
import { cancelForm, otherAccountForm, type Page, stepHeading } from "./layout.ts";

/** Shows which accounts are about to be linked, so that a person whom an attacker lured to this page notices it. */
export function confirmPage(visit: Visit): Page {
  const texts = textsOf(visit.language);
  const project = visit.project.name;
  const email = shownEmail(visit);
  return {
    language: visit.language,
    brand: visit.brand,
    title: texts("confirm.title"),
    at: "confirm",
    body: html`${stepHeading(visit, 3, texts("confirm.title"))}
<p>${texts("confirm.intro", { project })}</p>
<dl class="summary">
<div><dt>${texts("confirm.project")}</dt><dd>${project}</dd></div>
<div><dt>${texts("confirm.legacy", { project })}</dt><dd><bdi>${visit.transaction.email}</bdi></dd></div>
<div><dt>${texts("confirm.account")}</dt><dd><bdi>${email}</bdi>${otherAccountForm(visit)}</dd></div>
</dl>
<p class="caution">${texts("confirm.warning", { project })}</p>
${form(
  visit,
  "confirm",
  // The hidden field names the account that the page showed. The confirmation applies only to that account, even if
  // someone else has signed in in another tab.
  html`<input type="hidden" name="account" value="${visit.account?.id}">
${mainButton(visit.language, "confirm.button")}`,
)}
${cancelForm(visit)}`,
  };
}
