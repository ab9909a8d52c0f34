import type { Response } from "express";
import type { ShownBrand } from "../domain/brand.ts";
import { pageAddress } from "./page-address.ts";
import { type Page, renderPage } from "./pages/layout.ts";

/**
 * Content Security Policy of our pages: they load nothing from other hosts, and their forms lead only to this host.
 * Browsers apply `form-action` to every redirect after a form, including those of the project's site, so none of our
 * forms leads there (see `returnPage`).
 */
export const contentSecurityPolicy =
  "default-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'";

/** Responds with a page. */
export function sendPage(response: Response, page: Page, status = 200): void {
  response
    .status(status)
    .set("content-security-policy", contentSecurityPolicy)
    .set("content-language", page.language)
    .type("html")
    .send(renderPage(page, response.app.locals.platformBrand as ShownBrand));
}

/** Redirects the browser to one of our pages, which it requests with GET. */
export function leadTo(response: Response, page: string): void {
  response.redirect(303, pageAddress(page));
}
