import { html, type SafeHtml } from "@platform/kit/web/http";
import { emailHint } from "@platform/kit/web/mail";
import type { Language } from "../../domain/page-language.ts";
import type { ProjectContact } from "../../domain/project-contact.ts";
import { type TextKey, textsOf } from "../../locales/texts.ts";
import { form, mainButton } from "./form.ts";
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
  const button = (action: string, label: TextKey): SafeHtml =>
    form(
      { formToken },
      `contacts/${action}`,
      html`<input type="hidden" name="token" value="${token}">
${mainButton(language, label)}`,
    );
  const isPending = contact.confirmed_at === null;
  const title = texts("contact.title", { project });
  const email = emailHint(contact.email);
  return {
    language,
    title,
    at: `contacts/${token}`,
    body: html`<h1>${title}</h1>
<p>${texts(isPending ? "contact.intro" : "contact.stop", { email, project })}</p>
${isPending ? button("confirm", "verify.button") : button("remove", "contact.stop.button")}`,
  };
}

export function contactConfirmedPage(language: Language, project: string): Page {
  const texts = textsOf(language);
  return ending(language, texts("contact.confirmed.title"), texts("contact.confirmed", { project }));
}

export function contactRemovedPage(language: Language, project: string): Page {
  const texts = textsOf(language);
  return ending(language, texts("contact.removed.title"), texts("contact.removed", { project }));
}

const ending = (language: Language, title: string, text: string): Page => ({
  language,
  title,
  body: html`<h1>${title}</h1>
<p>${text}</p>`,
});
