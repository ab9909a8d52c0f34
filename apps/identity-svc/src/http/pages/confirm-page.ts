import { html } from "@platform/kit/web/http";
import { shownEmail } from "../shown-email.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import { cancelForm, form, otherAccountForm, type Page, stepHeading } from "./layout.ts";

/** Shows which accounts are about to be linked, so that a person who was tricked here notices it. */
export function confirmPage(visit: Visit): Page {
  const texts = textsOf(visit.language);
  const project = visit.project.name;
  const email = shownEmail(visit);
  return {
    language: visit.language,
    title: texts.confirmTitle,
    body: html`${stepHeading(visit, 3, texts.confirmTitle)}
<p>${texts.confirmIntro(project)}</p>
<dl class="summary">
<div><dt>${texts.confirmProject}</dt><dd>${project}</dd></div>
<div><dt>${texts.confirmLegacy(project)}</dt><dd>${visit.transaction.email}</dd></div>
<div><dt>${texts.confirmAccount}</dt><dd>${email}${otherAccountForm(visit)}</dd></div>
</dl>
<p class="caution">${texts.confirmWarning(project)}</p>
${form(
  visit,
  "confirm",
  // The account the page named. The confirmation applies to it alone, also when someone else has signed in meanwhile in another tab.
  html`<input type="hidden" name="account" value="${visit.account?.id}">
<button type="submit">${texts.confirmButton}</button>`,
)}
${cancelForm(visit)}`,
  };
}
