import { html, type SafeHtml } from "@platform/kit/web/http";
import { emailHint } from "@platform/kit/web/mail";
import type { Language } from "../../domain/page-language.ts";
import type { ProjectContact } from "../../domain/project-contact.ts";
import { pageAddress } from "../page-address.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Page } from "./layout.ts";

/** The page behind the link of a contact: it confirms the address, or ends the emails to a confirmed one. */
export function contactPage(shown: {
  readonly language: Language;
  readonly contact: ProjectContact;
  readonly project: string;
  readonly token: string;
  readonly formToken: string;
}): Page {
  const { language, contact, project, token, formToken } = shown;
  const texts = textsOf(language);
  const button = (
    action: string,
    label: string,
  ): SafeHtml => html`<form method="post" action="${pageAddress(`contacts/${action}`)}">
<input type="hidden" name="form_token" value="${formToken}">
<input type="hidden" name="token" value="${token}">
<button type="submit">${label}</button>
</form>`;
  const isPending = contact.confirmed_at === null;
  const title = isPending ? texts.contactTitle(project) : texts.contactStopTitle(project);
  return {
    language,
    title,
    body: html`<h1>${title}</h1>
<p>${isPending ? texts.contactIntro(emailHint(contact.email), project) : texts.contactStopIntro(emailHint(contact.email), project)}</p>
${isPending ? button("confirm", texts.contactButton) : button("remove", texts.contactStopButton)}`,
  };
}

export function contactConfirmedPage(language: Language, project: string): Page {
  const texts = textsOf(language);
  return ending(language, texts.contactConfirmedTitle, texts.contactConfirmed(project));
}

export function contactRemovedPage(language: Language, project: string): Page {
  const texts = textsOf(language);
  return ending(language, texts.contactRemovedTitle, texts.contactRemoved(project));
}

const ending = (language: Language, title: string, text: string): Page => ({
  language,
  title,
  body: html`<h1>${title}</h1>
<p>${text}</p>`,
});
