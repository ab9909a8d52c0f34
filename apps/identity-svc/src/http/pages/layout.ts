import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import type { ShownBrand } from "../../domain/brand.ts";
import { directionOf, type Language, languages, nameOf } from "../../domain/page-language.ts";
import { isRegistering } from "../../domain/platform-account.ts";
import { textsOf } from "../../locales/texts.ts";
import { assetAddress, colourAddress } from "../assets.ts";
import { pageAddress } from "../page-address.ts";
import type { Visit } from "../visit.ts";
import { form } from "./form.ts";

/** The content of a page, which `renderPage` puts into the layout. */
export type Page = {
  readonly language: Language;
  readonly title: string;
  /** The project's brand; the platform's brand is used if it is missing. */
  readonly brand?: ShownBrand;
  readonly hasError?: boolean;
  /** URL to which the browser continues automatically, and the delay in seconds. */
  readonly refresh?: { readonly to: string; readonly seconds: number };
  /** The address of the page, if it can be shown again in another language. Missing for pages that are not the response to a GET. */
  readonly at?: string;
  readonly body: HtmlValue;
};

/** Renders a page as HTML. @param platformBrand the brand of pages that belong to no project */
export function renderPage(page: Page, platformBrand: ShownBrand): string {
  const { language, title, brand = platformBrand, hasError, refresh, at, body } = page;
  const texts = textsOf(language);
  const name = brand.name ?? texts("site.name");
  const { colour } = brand;
  const whole = hasError === true ? texts("page.error", { title }) : title;
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
${refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh.seconds}; url=${refresh.to}">`}
<title>${whole} – ${name}</title>
<link rel="stylesheet" href="${assetAddress("kit.css")}">
<link rel="stylesheet" href="${assetAddress("style.css")}">
${colour !== null && html`<link rel="stylesheet" href="${colourAddress(colour)}">`}
<link rel="icon" type="image/svg+xml" href="${assetAddress("icon.svg")}">
<script src="${assetAddress("page.js")}" defer></script>
</head>
<body>
<header class="site"><img src="${logoOf(brand)}" alt="" height="32"><span>${name}</span></header>
<main class="card">
<div class="card-body">
${body}
</div>
</main>
<footer class="site">
${at !== undefined && languageForm(language, at)}
${brandLinks(language, brand)}
</footer>
</body>
</html>
`.text;
}

/** Shows the page in another language; works without JavaScript. */
function languageForm(language: Language, at: string): SafeHtml {
  const texts = textsOf(language);
  return html`<form class="languages" method="get" action="${pageAddress(at)}">
<label class="visually-hidden" for="language">${texts("language")}</label>
<select class="form-select" id="language" name="language">${languages.map(
    (each) =>
      html`<option value="${each}" lang="${each}"${each === language && html` selected`}>${nameOf(each)}</option>`,
  )}</select>
<button class="btn" type="submit">${texts("language.change")}</button>
</form>`;
}

/** The path of the logo on our own host. It contains no host name, so it works under every name of this host. */
function logoOf({ logo_url }: ShownBrand): string {
  return logo_url === null ? assetAddress("icon.svg") : new URL(logo_url).pathname;
}

function brandLinks(language: Language, { terms_url, privacy_url }: ShownBrand): HtmlValue {
  const texts = textsOf(language);
  const links = [
    terms_url !== null && html`<a href="${terms_url}" rel="noreferrer">${texts("terms")}</a>`,
    privacy_url !== null && html`<a href="${privacy_url}" rel="noreferrer">${texts("privacy")}</a>`,
  ];
  return links.some((link) => link !== false) && html`<p class="links">${links}</p>`;
}

const steps = 3;

/** Renders the heading of a step, with its number and the project. */
export function stepHeading(visit: Visit, step: number, title: string): SafeHtml {
  const texts = textsOf(visit.language);
  return html`<p class="step"><span class="project">${visit.project.name}</span><span class="count">${texts("step", { step, steps })}</span></p>
<progress class="progress" max="${steps}" value="${step}" aria-hidden="true"></progress>
<h1>${title}</h1>`;
}

/** Renders the form with which a person cancels; every step has it. */
export function cancelForm(visit: Visit): SafeHtml {
  const text = textsOf(visit.language)("cancel", { project: visit.project.name });
  return form(visit, "cancel", html`<button class="btn quiet" type="submit">${text}</button>`);
}

/** Shows who is signed in, with a form to use another account. */
export function signedInAs(visit: Visit, email: string): SafeHtml {
  const texts = textsOf(visit.language);
  const isNew = visit.account !== null && isRegistering(visit.account);
  return html`<div class="identity">
<p><span class="label">${texts(isNew ? "registeringAs" : "signedInAs")}</span> <strong><bdi>${email}</bdi></strong></p>
${otherAccountForm(visit)}
</div>`;
}

/** Renders the form with which a person signs in with another account. */
export function otherAccountForm(visit: Visit): SafeHtml {
  const text = textsOf(visit.language)("otherAccount");
  return form(visit, "sign-out", html`<button class="link" type="submit">${text}</button>`);
}
