import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { isRegistering } from "../../domain/platform-account.ts";
import { assetAddress } from "../assets.ts";
import { pageAddress } from "../page-address.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";

/** A whole page. */
export type Page = {
  readonly language: Language;
  readonly title: string;
  readonly hasError?: boolean;
  /** Where a browser goes on to by itself, at once. */
  readonly refreshTo?: string;
  readonly body: HtmlValue;
};

/** Writes a page out. */
export function renderPage({ language, title, hasError, refreshTo, body }: Page): string {
  const texts = textsOf(language);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refreshTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${refreshTo}">`}
<title>${hasError === true ? texts.errorPrefix : ""}${title} – ${texts.siteName}</title>
<link rel="stylesheet" href="${assetAddress("style.css")}">
<link rel="icon" type="image/svg+xml" href="${assetAddress("icon.svg")}">
</head>
<body>
<header class="site"><img src="${assetAddress("icon.svg")}" alt="" width="32" height="32"><span>${texts.siteName}</span></header>
<main class="card">
${body}
</main>
</body>
</html>
`.text;
}

const steps = 3;

/** The head of a step: which step it is, for which project. */
export function stepHeading(visit: Visit, step: number, title: string): SafeHtml {
  const texts = textsOf(visit.language);
  return html`<p class="step"><span class="project">${visit.project.name}</span><span class="count">${texts.stepOf(step, steps)}</span></p>
<progress class="progress" max="${steps}" value="${step}" aria-hidden="true"></progress>
<h1>${title}</h1>`;
}

/** A form of ours. `action` is a page's name. */
export function form(visit: Visit, action: string, content: HtmlValue): SafeHtml {
  return html`<form method="post" action="${pageAddress(action)}" novalidate>
<input type="hidden" name="form_token" value="${visit.formToken}">
${content}
</form>`;
}

/** The error, read out at once, with a link to its field. */
export function errorSummary(language: Language, message: string | null, fieldId: string | null): HtmlValue {
  if (message === null) return null;
  const texts = textsOf(language);
  return html`<div class="problem" role="alert" id="problem">
<h2>${texts.problemTitle}</h2>
<p>${fieldId === null ? message : html`<a href="#${fieldId}">${message}</a>`}</p>
</div>`;
}

/**
 * A labelled field. Browsers hold the type `email` to a grammar without quoted local parts and without letters beyond ASCII; the forms are `novalidate`,
 * so the owners of such addresses can submit them.
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
}): SafeHtml {
  const describedBy = [
    options.hint === undefined ? "" : `${options.id}-hint`,
    options.hasError === true ? "problem" : "",
  ]
    .filter((id) => id !== "")
    .join(" ");
  return html`<div class="field">
<label for="${options.id}">${options.label}</label>
${options.hint !== undefined && html`<p class="hint" id="${options.id}-hint">${options.hint}</p>`}
<input id="${options.id}" name="${options.id}" type="${options.type}" autocomplete="${options.autocomplete}" required${
    describedBy !== "" && html` aria-describedby="${describedBy}"`
  }${options.hasError === true && html` aria-invalid="true"`}${
    options.inputmode !== undefined && html` inputmode="${options.inputmode}"`
  }${options.maxlength !== undefined && html` maxlength="${options.maxlength}"`}${
    options.type === "email" && html` autocapitalize="none" spellcheck="false"`
  } value="${options.value ?? ""}">
</div>`;
}

/** The address that a new password is for, and the field for that password. */
export function newPasswordFields(language: Language, email: string, hasError: boolean): SafeHtml {
  const texts = textsOf(language);
  return html`<div class="field">
<label for="email">${texts.email}</label>
<input id="email" type="email" autocomplete="username" value="${email}" readonly>
</div>
${field({
  id: "password",
  label: texts.newPassword,
  hint: texts.passwordHint,
  type: "password",
  autocomplete: "new-password",
  hasError,
})}`;
}

/** The cancel form of every step. */
export function cancelForm(visit: Visit): SafeHtml {
  const texts = textsOf(visit.language);
  return form(visit, "cancel", html`<button class="quiet" type="submit">${texts.cancel(visit.project.name)}</button>`);
}

/** Who is signed in, with a form to use another account. */
export function signedInAs(visit: Visit, email: string): SafeHtml {
  const texts = textsOf(visit.language);
  const isNew = visit.account !== null && isRegistering(visit.account);
  return html`<div class="identity">
<p><span class="label">${isNew ? texts.registeringAs : texts.signedInAs}</span> <strong>${email}</strong></p>
${otherAccountForm(visit)}
</div>`;
}

/** A form to use another account. */
export function otherAccountForm(visit: Visit): SafeHtml {
  const texts = textsOf(visit.language);
  return form(visit, "sign-out", html`<button class="link" type="submit">${texts.otherAccount}</button>`);
}
