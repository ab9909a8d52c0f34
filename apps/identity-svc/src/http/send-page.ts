import type { Response } from "express";
import { pageAddress } from "./page-address.ts";
import { type Page, renderPage } from "./pages/layout.ts";

/**
 * Content Security Policy of our pages: they load nothing from elsewhere, and their forms lead to this host or, by redirect, to the project's
 * return_uri. Browsers apply `form-action` to redirects after a form too.
 */
export function contentSecurityPolicy(returnUri: string | null): string {
  const formTargets = returnUri === null ? "'self'" : `'self' ${cspSource(returnUri)}`;
  return `default-src 'self'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'; object-src 'none'`;
}

/** A URL's origin in CSP syntax. CSP cannot express IPv6 literals, which only loopback return_uris have; their scheme stands instead. */
function cspSource(uri: string): string {
  const { origin, hostname, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
}

/** Answers with a page. @param returnUri where the page's forms may finally lead, or null */
export function sendPage(response: Response, page: Page, returnUri: string | null, status = 200): void {
  response
    .status(status)
    .set("content-security-policy", contentSecurityPolicy(returnUri))
    .set("content-language", page.language)
    .type("html")
    .send(renderPage(page));
}

/** Leads the browser to a page of ours by GET. */
export function leadTo(response: Response, page: string): void {
  response.redirect(303, pageAddress(page));
}
