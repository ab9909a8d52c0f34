import { html } from "@platform/kit/web/http";
import { isRegistering } from "../../domain/platform-account.ts";
import { pageAddress } from "../page-address.ts";
import { shownEmail } from "../shown-email.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import { cancelForm, errorSummary, field, form, type Page, signedInAs, stepHeading } from "./layout.ts";

/** @param isSent whether a mail of this account is under way or there; without one there is no code to ask for */
export function verifyEmailPage(visit: Visit, isSent: boolean, message: string | null): Page {
  const texts = textsOf(visit.language);
  const email = shownEmail(visit);
  const hasLink = visit.account !== null && !isRegistering(visit.account);
  const sent = hasLink ? texts.verifySent(email) : texts.verifySentCode(email);
  return {
    language: visit.language,
    title: texts.verifyTitle,
    hasError: message !== null,
    body: html`${stepHeading(visit, 2, texts.verifyTitle)}
${errorSummary(visit.language, message, isSent ? "code" : null)}
<p>${isSent ? sent : texts.verifyNotSent(email)}</p>
${
  isSent &&
  html`${form(
    visit,
    "verify-email",
    html`${field({
      id: "code",
      label: texts.code,
      hint: texts.codeHint,
      type: "text",
      autocomplete: "one-time-code",
      inputmode: "numeric",
      maxlength: 12,
      hasError: message !== null,
    })}
<button type="submit">${texts.verifyButton}</button>`,
  )}
${hasLink && html`<p class="other"><a href="${pageAddress("verify-email?opened=1")}">${texts.openedLink}</a></p>`}
<p class="hint">${texts.noMail}</p>`
}
${form(visit, "send-mail", html`<button class="${isSent ? "second" : "first"}" type="submit">${isSent ? texts.resendButton : texts.sendButton}</button>`)}
${signedInAs(visit, email)}
${cancelForm(visit)}`,
  };
}
