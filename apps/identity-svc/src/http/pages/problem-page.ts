import { html } from "@platform/kit/web/http";
import type { Language } from "../../domain/page-language.ts";
import type { PageProblem } from "../page-problem.ts";
import { textsOf } from "../texts/texts-of.ts";
import type { Page } from "./layout.ts";

/** Explains why a person cannot continue, and what to do. Good endings (cancelled, linked) show no correlation id. */
export function problemPage(language: Language, { problem, status, way }: PageProblem, correlationId: string): Page {
  const texts = textsOf(language);
  const [title, text] = texts.problems[problem] as readonly [string, string];
  const isEnding = status < 400;
  return {
    language,
    title,
    hasError: !isEnding,
    body: html`<h1>${title}</h1>
<p>${text}</p>
${way !== null && html`<p><a class="button" href="${way.href}">${way.project === null ? texts.continueLink : texts.backTo(way.project)}</a></p>`}
${!isEnding && correlationId !== "" && html`<p class="hint">${texts.correlation}<br><code>${correlationId}</code></p>`}`,
  };
}

/** What following a mailed link shows. @param continueHref the next page, in the browser that began */
export function verifiedPage(language: Language, continueHref: string | null): Page {
  const texts = textsOf(language);
  return {
    language,
    title: texts.verifiedTitle,
    body: html`<h1>${texts.verifiedTitle}</h1>
${
  continueHref === null
    ? html`<p>${texts.verifiedText}</p>`
    : html`<p><a class="button" href="${continueHref}">${texts.continueLink}</a></p>`
}`,
  };
}
