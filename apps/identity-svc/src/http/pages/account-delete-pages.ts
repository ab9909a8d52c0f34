import { html } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { textsOf } from "../../locales/texts.ts";
import type { AccountVisit } from "../account/account-visit.ts";
import { pageAddress } from "../page-address.ts";
import { errorSummary, form } from "./form.ts";
import type { Page } from "./layout.ts";

/**
 * Explains what is deleted with the account, and asks for consent. @param projects number of projects that are linked
 * to it
 */
export function deleteAccountPage(visit: AccountVisit, projects: number, message: string | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  return {
    language,
    title: texts("account.delete.title"),
    hasError: message !== null,
    at: "account/delete",
    body: html`<h1>${texts("account.delete.title")}</h1>
${errorSummary(language, message, "understood")}
<p>${texts("account.delete.intro")}</p>
<ul>
<li>${texts("account.delete.consequences.signIn")}</li>
<li>${texts("account.delete.consequences.projects", { count: projects })}</li>
<li>${texts("account.delete.consequences.kept")}</li>
</ul>
${form(
  visit,
  "account/delete",
  html`<div class="field form-check">
<input class="form-check-input" type="checkbox" id="understood" name="understood" value="yes" required${message !== null && html` aria-describedby="problem" aria-invalid="true"`}>
<label class="form-check-label" for="understood">${texts("account.delete.understood")}</label>
</div>
<button class="btn btn-danger" type="submit">${texts("account.delete.button")}</button>`,
)}
<p class="other"><a href="${pageAddress("account")}">${texts("account.back")}</a></p>`,
  };
}

const refreshSeconds = 3;

/** The progress of an account's deletion. The page refreshes itself until the deletion is done. */
export function deletionPage(language: Language, erasureId: string, progress: "open" | "delayed" | "done"): Page {
  const texts = textsOf(language);
  const title = texts(progress === "done" ? "account.deleted.title" : "account.deleting.title");
  const at = "account/deleted";
  const explanations = {
    open: "account.deleting.text",
    delayed: "account.deleting.delayed",
    done: "account.deleted.text",
  } as const;
  return {
    language,
    title,
    at,
    ...(progress === "open" ? { refresh: { to: pageAddress(at), seconds: refreshSeconds } } : {}),
    body: html`<h1>${title}</h1>
<p role="status">${texts(explanations[progress])}</p>
<p class="form-hint">${texts("account.deleting.reference")}<br><code>${erasureId}</code></p>`,
  };
}
