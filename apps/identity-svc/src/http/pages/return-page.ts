import { html } from "@platform/kit/web/http";
import { textsOf } from "../texts/texts-of.ts";
import type { Visit } from "../visit.ts";
import type { Page } from "./layout.ts";

/**
 * Leads a browser on to the project by a refresh, and by a link where that is switched off or leads to an app. A redirect would not do: browsers hold
 * every redirect behind a form against the form's Content Security Policy, also those that the project's site answers with. The address stands in the
 * page and not in a header, because it may have 27,000 characters and proxies cut headers off at 4 KiB.
 */
export function returnPage(visit: Visit, address: string): Page {
  const texts = textsOf(visit.language);
  const project = visit.project.name;
  return {
    language: visit.language,
    title: texts.returning(project),
    refreshTo: address,
    body: html`<h1>${texts.returning(project)}</h1>
<p><a class="button" href="${address}">${texts.backTo(project)}</a></p>`,
  };
}
