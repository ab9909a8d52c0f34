import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { type TextKey, textsOf } from "../../locales/texts.ts";
import { pageAddress } from "../page-address.ts";

/** The owner of a form: the browser that received its token. */
type FormOwner = { readonly formToken: string };

/** Renders a form with the token that proves that one of our pages sent it. `action` is the name of a page. */
export function form({ formToken }: FormOwner, action: string, content: HtmlValue): SafeHtml {
  return html`<form method="post" action="${pageAddress(action)}" novalidate>
<input type="hidden" name="form_token" value="${formToken}">
${content}
</form>`;
}

/** Renders the main button of a page. */
export function mainButton(language: Language, text: TextKey): SafeHtml {
  return html`<button class="btn btn-primary" type="submit">${textsOf(language)(text)}</button>`;
}

/** The error message, which screen readers announce immediately, with a link to its field. */
export function errorSummary(language: Language, message: string | null, fieldId: string | null): HtmlValue {
  if (message === null) return null;
  return html`<div class="alert alert-danger" role="alert" id="problem">
<h2>${textsOf(language)("problem")}</h2>
<p>${fieldId === null ? message : html`<a href="#${fieldId}">${message}</a>`}</p>
</div>`;
}

/**
 * A labelled field. For the type `email`, browsers enforce a grammar without quoted local parts and without non-ASCII
 * letters. The forms are `novalidate`, so that the owners of such addresses can submit them.
 */
export function field(options: {
  id: string;
  label: string;
  hint?: string;
  hasError?: boolean;
  type: string;
  autocomplete: string;
  value?: string;
  inputmode?: string;
  maxlength?: number;
  /** Attributes that turn a password field into one that can be shown; see `passwordField`. */
  shows?: SafeHtml;
}): SafeHtml {
  const { id, label, hint, hasError, type, autocomplete, value = "", inputmode, maxlength, shows } = options;
  const describedBy = [hint === undefined ? "" : `${id}-hint`, hasError === true ? "problem" : ""]
    .filter((describing) => describing !== "")
    .join(" ");
  // Addresses and codes are written from left to right in every language.
  const isLatin = type === "email" || inputmode === "numeric";
  return html`<div class="field">
<label class="form-label" for="${id}">${label}</label>
${hint !== undefined && html`<p class="form-hint" id="${id}-hint">${hint}</p>`}
<div class="control"><input id="${id}" name="${id}" class="form-control${hasError === true && " is-invalid"}" type="${type}" autocomplete="${autocomplete}" required${
    describedBy !== "" && html` aria-describedby="${describedBy}"`
  }${hasError === true && html` aria-invalid="true"`}${inputmode !== undefined && html` inputmode="${inputmode}"`}${
    maxlength !== undefined && html` maxlength="${maxlength}"`
  }${type === "email" && html` autocapitalize="none" spellcheck="false"`}${isLatin && html` dir="ltr"`}${shows} value="${value}"></div>
</div>`;
}

/** A password field. The page's script adds a button that shows the password. */
export function passwordField(
  language: Language,
  options: { label: string; hint?: string; hasError: boolean; autocomplete: "current-password" | "new-password" },
): SafeHtml {
  const texts = textsOf(language);
  const shows = html` data-show="${texts("password.show")}" data-hide="${texts("password.hide")}"`;
  return field({ id: "password", type: "password", shows, ...options });
}

/** The address that a new password is for, and the field for that password. */
export function newPasswordFields(language: Language, email: string, hasError: boolean): SafeHtml {
  const texts = textsOf(language);
  return html`<div class="field">
<label class="form-label" for="email">${texts("email")}</label>
<div class="control"><input class="form-control" id="email" type="email" autocomplete="username" dir="ltr" value="${email}" readonly></div>
</div>
${passwordField(language, {
  label: texts("newPassword"),
  hint: texts("newPassword.hint"),
  autocomplete: "new-password",
  hasError,
})}`;
}

/** The address that a password belongs to, for password managers; people see it elsewhere on the page. */
export function hiddenAddress(language: Language, email: string): SafeHtml {
  return html`<input class="visually-hidden" type="email" autocomplete="username" value="${email}" aria-label="${textsOf(language)("email")}" readonly tabindex="-1">`;
}
