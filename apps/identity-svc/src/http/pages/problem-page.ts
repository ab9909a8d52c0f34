import { html } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import { textsOf } from "../../locales/texts.ts";
import type { PageProblem } from "../page-problem.ts";
import type { Page } from "./layout.ts";

/**
 * Explains why a person cannot continue, and what to do. If nothing went wrong (cancelled, waiting, linked), the page
 * shows no correlation id.
 */
export function problemPage(language: Language, { problem, status, way }: PageProblem, correlationId: string): Page {
  const texts = textsOf(language);
  const project = way?.project ?? null;
  const values = { project: project ?? "" };
  const title = texts(`${problem}.title`, values);
  const isEnding = status < 400;
  return {
    language,
    title,
    hasError: !isEnding,
    body: html`<h1>${title}</h1>
<p>${texts(`${problem}.text`, values)}</p>
${
  way !== null &&
  html`<p><a class="btn btn-primary" href="${way.href}">${project === null ? texts("continue") : texts("backTo", { project })}</a></p>`
}
${!isEnding && correlationId !== "" && html`<p class="form-hint">${texts("correlation")}<br><code>${correlationId}</code></p>`}`,
  };
}

/**
 * Shows the result of following an emailed link.
 * @param continueHref the next page, in the browser in which the person started
 */
export function verifiedPage(language: Language, continueHref: string | null): Page {
  const texts = textsOf(language);
  return {
    language,
    title: texts("verified.title"),
    body: html`<h1>${texts("verified.title")}</h1>
${
  continueHref === null
    ? html`<p>${texts("verified.text")}</p>`
    : html`<p><a class="btn btn-primary" href="${continueHref}">${texts("continue")}</a></p>`
}`,
  };
}
