import { html } from "@platform/kit/web/http";
import { copyable, facts } from "./elements.ts";
import type { Page } from "./layout.ts";

/**
 * Renders the only page that ever shows a secret. It is the response to the form that requested the secret, and has no
 * address of its own.
 */
export function secretPage(title: string, name: string, secret: string, crumbs: NonNullable<Page["crumbs"]>): Page {
  return {
    title,
    crumbs,
    body: html`<p class="alert alert-success" role="status">Copy the ${name.toLowerCase()} now. It is not shown again.</p>
<section aria-label="${name}">${facts([[name, copyable(secret)]])}</section>`,
  };
}
