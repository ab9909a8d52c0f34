import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import { RecordSearchAdminService } from "@platform/proto/operator/v1/record_search_admin";
import type { NamedClient } from "../../calls/clients.ts";
import { assetAddress } from "../assets.ts";
import { mayAct, type Visit } from "../visit.ts";
import { csrfField } from "./fields.ts";
import { icon } from "./icon.ts";
import { sidebar } from "./sidebar.ts";

/** A page of the console. */
export type Page = {
  readonly title: string;
  /** The pages above this one, outermost first. */
  readonly crumbs?: readonly (readonly [title: string, path: string])[];
  readonly body: HtmlValue;
  /** Project Client that the links of the sidebar contain. */
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
<title>${title} – Platform console</title>
<link rel="stylesheet" href="${assetAddress("kit.css")}">
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

/** Renders a page for visitors without a session. */
export function publicPage(title: string, body: HtmlValue): string {
  return documentOf(
    title,
    html`<main class="container-tight py-4" id="content"><p><img src="${assetAddress("icon.svg")}" alt="" width="24" height="24"> Platform console</p><h1>${title}</h1>${body}</main>`,
  );
}

/**
 * Renders a page for a signed-in person.
 * @param notice the result of the action that was just completed
 * @param projects the projects that the switcher offers, the most recently used first
 */
export function operatorPage(
  visit: Visit,
  page: Page,
  notice: string | null,
  projects: { readonly all: readonly NamedClient[]; readonly recent: readonly NamedClient[] },
): string {
  const { session } = visit;
  const isSearch = visit.request.path === "/search";
  return documentOf(
    page.title,
    html`<a class="visually-hidden-focusable" href="#content">Skip to content</a>
<div class="page">
${sidebar(visit, page.clientId, projects)}
<div class="page-wrapper">
<header class="border-bottom px-3 py-2 d-flex flex-wrap align-items-center gap-2">
${
  mayAct(visit, { method: RecordSearchAdminService.method.findRecords }) &&
  html`<form class="d-flex gap-2 col-12 col-lg-6" role="search" method="get" action="/search">
<label class="visually-hidden" for="search-q">Search by id, address, idempotency key or correlation id</label>
<input class="form-control" type="search" id="search-q" name="q" placeholder="Search: id, address, key, name" autocomplete="off" aria-keyshortcuts="/" value="${
    isSearch ? visit.query("q") : ""
  }"><button class="btn btn-icon" aria-label="Search">${icon("search")}</button>
</form>`
}
<form class="ms-auto d-flex align-items-center gap-2" method="post" action="/sign-out">${csrfField(visit)}
<span><strong>${session.name}</strong> <span class="text-secondary">${[...session.roles, ...(visit.project?.membership ? [visit.project.membership.role] : [])].join(", ")}</span></span>
<button class="btn btn-ghost">${icon("logout")}Sign out</button></form>
</header>
<main class="page-body container-xl" id="content" tabindex="-1">
${
  page.crumbs !== undefined &&
  html`<ol class="breadcrumb" aria-label="Where you are">${page.crumbs.map(
    ([title, path]) => html`<li class="breadcrumb-item"><a href="${path}">${title}</a></li>`,
  )}</ol>`
}
<h1>${page.title}</h1>
${notice !== null && html`<p class="alert alert-success" role="status">${icon("circle-check")} ${notice}</p>`}
${page.body}
</main>
</div>
</div>`,
  );
}
