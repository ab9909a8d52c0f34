import { html, type SafeHtml } from "@platform/kit/web/http";
import { isRegistering } from "../../domain/platform-account.ts";
import { textsOf } from "../../locales/texts.ts";
import { pageAddress } from "../page-address.ts";
import { shownEmail } from "../shown-email.ts";
import type { Visit } from "../visit.ts";
import { errorSummary, field, form, mainButton } from "./form.ts";
import { cancelForm, type Page, signedInAs, stepHeading } from "./layout.ts";

/** @param isSent whether an email for this account was sent or queued; if not, there is no code to enter */
export function verifyEmailPage(visit: Visit, isSent: boolean, message: string | null): Page {
  const { language } = visit;
  const texts = textsOf(language);
  const email = shownEmail(visit);
  const hasLink = visit.account !== null && !isRegistering(visit.account);
  const sent = texts(hasLink ? "verify.sent" : "verify.sentCode", { email });
  return {
    language,
    brand: visit.brand,
    title: texts("verify.title"),
    hasError: message !== null,
    at: "verify-email",
    body: html`${stepHeading(visit, 2, texts("verify.title"))}
${errorSummary(language, message, isSent ? "code" : null)}
<p>${isSent ? sent : texts("verify.notSent", { email })}</p>
${isSent && codeForm(visit, hasLink, message !== null)}
${form(
  visit,
  "send-mail",
  html`<button class="btn${!isSent && " btn-primary"}" type="submit">${texts(isSent ? "verify.resend" : "verify.send")}</button>`,
)}
${signedInAs(visit, email)}
${cancelForm(visit)}`,
  };
}

function codeForm(visit: Visit, hasLink: boolean, hasError: boolean): SafeHtml {
  const { language } = visit;
  const texts = textsOf(language);
  return html`${form(
    visit,
    "verify-email",
    html`${field({
      id: "code",
      label: texts("code"),
      hint: texts("code.hint"),
      type: "text",
      autocomplete: "one-time-code",
      inputmode: "numeric",
      maxlength: 12,
      hasError,
    })}
${mainButton(language, "verify.button")}`,
  )}
${hasLink && html`<p class="other"><a href="${pageAddress("verify-email?opened=1")}">${texts("verify.opened")}</a></p>`}
<p class="form-hint">${texts("verify.noMail")}</p>`;
}
