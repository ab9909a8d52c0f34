import { html } from "@platform/kit/web/http";
import { textsOf } from "../../locales/texts.ts";
import type { Visit } from "../visit.ts";
import type { Page } from "./layout.ts";

/**
 * Leads a browser to the project by a refresh, and by a link if that is disabled or leads to an app. A redirect would
 * not work, because browsers apply the form's Content Security Policy to every redirect after a form, including those
 * by the project's site. The address is in the page and not in a header, because it may have 27,000 characters and
 * proxies truncate headers at 4 KiB.
 */
export function returnPage(visit: Visit, address: string): Page {
  const texts = textsOf(visit.language);
  const project = visit.project.name;
  const title = texts("returning", { project });
  return {
    language: visit.language,
    brand: visit.brand,
    title,
    refresh: { to: address, seconds: 0 },
    body: html`<h1>${title}</h1>
<p><a class="btn btn-primary" href="${address}">${texts("backTo", { project })}</a></p>`,
  };
}
