import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import { assetAddress } from "../assets.ts";
import type { Visit } from "../visit.ts";
import { navigation } from "./navigation.ts";

/** A page of the console. */
export type Page = {
  readonly title: string;
  /** The pages above it, outermost first. */
  readonly crumbs?: readonly (readonly [title: string, path: string])[];
  readonly body: HtmlValue;
  /** Project Client that the links of the navigation go on with. */
  readonly clientId?: string;
};

function documentOf(title: string, body: SafeHtml): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} – Operator console</title>
<link rel="stylesheet" href="${assetAddress("console.css")}">
<link rel="icon" type="image/svg+xml" href="${assetAddress("icon.svg")}">
<script src="${assetAddress("console.js")}" defer></script>
</head>
<body>
${body}
</body>
</html>
`.text;
}

/** A page for who is not signed in. */
export function publicPage(title: string, body: HtmlValue): string {
  return documentOf(
    title,
    html`<header class="site"><a class="brand" href="/">Operator console</a></header>
<main class="public" id="content"><h1>${title}</h1>${body}</main>`,
  );
}

/** A page for who is signed in. @param notice what was just done */
export function operatorPage(visit: Visit, page: Page, notice: string | null): string {
  const { session } = visit;
  const section = `/${visit.request.path.split("/")[1] ?? ""}`;
  const suffix = page.clientId === undefined ? "" : `?client=${encodeURIComponent(page.clientId)}`;
  return documentOf(
    page.title,
    html`<a class="skip" href="#content">Skip to content</a>
<header class="site">
<a class="brand" href="/">Operator console</a>
<form class="search" role="search" method="get" action="/search">
<label class="quiet" for="search-q">Search by id, address, idempotency key or correlation id</label>
<input type="search" id="search-q" name="q" placeholder="Id, address, key, correlation id" autocomplete="off" value="${
      section === "/search" ? visit.query("q") : ""
    }"><button>Search</button>
</form>
<form class="who" method="post" action="/sign-out">${csrfField(visit)}
<span><strong>${session.name}</strong> <span class="roles">${session.roles.join(", ")}</span></span>
<button class="link">Sign out</button></form>
</header>
<nav class="main" aria-label="Screens"><ul>${navigation
      .filter(({ method }) => visit.may(method))
      .map(
        ({ path, title }) =>
          html`<li><a href="${path}${path === "/" ? "" : suffix}"${path === section && html` aria-current="page"`}>${title}</a></li>`,
      )}
<li><a href="/status">Status</a></li></ul></nav>
<main id="content" tabindex="-1">
${
  page.crumbs !== undefined &&
  html`<ol class="crumbs" aria-label="Where you are">${page.crumbs.map(
    ([title, path]) => html`<li><a href="${path}">${title}</a></li>`,
  )}</ol>`
}
<h1>${page.title}</h1>
${notice !== null && html`<p class="notice" role="status">${notice}</p>`}
${page.body}
</main>`,
  );
}

/** What every form that is posted carries. */
export function csrfField({ session }: Pick<Visit, "session">): SafeHtml {
  return html`<input type="hidden" name="csrf" value="${session.csrf}">`;
}
