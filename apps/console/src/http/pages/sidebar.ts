import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import type { NamedClient } from "../../calls/clients.ts";
import { assetAddress } from "../assets.ts";
import { mayAct, type Visit } from "../visit.ts";
import { projectPath } from "../within-project.ts";
import { icon } from "./icon.ts";
import { type NavigationPage, navigation, navigationPageOf, projectStartPage } from "./navigation.ts";

/**
 * Maximum number of projects that the switcher offers by name. A person finds any other project by typing its name and
 * submitting the form.
 */
const offeredMax = 50;

type Projects = { readonly all: readonly NamedClient[]; readonly recent: readonly NamedClient[] };

/**
 * Renders the project switcher, and links to the pages that the person may open. On a phone, a checkbox folds the
 * sidebar.
 */
export function sidebar(visit: Visit, clientId: string | undefined, projects: Projects): SafeHtml {
  const current = navigationPageOf(visit.request.path);
  const suffix = clientId === undefined ? "" : `?client=${encodeURIComponent(clientId)}`;
  const mayOpen = ({ method, isReveal }: NavigationPage): boolean =>
    method === null || mayAct(visit, { method, isReveal });
  const start: NavigationPage | null = visit.project === null ? null : projectStartPage;
  const link = (page: NavigationPage): HtmlValue => {
    const isCurrent = page === current;
    return html`<li class="nav-item${isCurrent && " active"}"><a class="nav-link" href="${page.path}${page.isOfClient && suffix}"${
      isCurrent && html` aria-current="page"`
    }><span class="nav-link-icon">${icon(page.icon)}</span><span class="nav-link-title">${page.title}</span></a></li>`;
  };
  return html`<aside class="navbar navbar-vertical navbar-expand-lg" aria-label="Sidebar"><div class="container-fluid">
<a class="navbar-brand" href="/"><span><img src="${assetAddress("icon.svg")}" alt="" width="24" height="24"> Platform console</span></a>
<input class="fold visually-hidden d-lg-none" type="checkbox" id="fold" aria-label="Show the navigation"><label class="btn btn-icon d-lg-none" for="fold">${icon("menu-2")}</label>
<div class="navbar-collapse collapse">
${switcher(visit, clientId, projects)}
<nav aria-label="Pages"><ul class="navbar-nav">${start !== null && link(start)}${navigation
    .map(({ title, pages }) => ({
      title,
      // Within a project, the project's own start page replaces the overview.
      pages: pages.filter((page) => mayOpen(page) && (start === null || page.path !== start.path)),
    }))
    .filter(({ pages }) => pages.length > 0)
    .map(
      ({ title, pages }) => html`<li class="nav-section-title text-secondary">${title}</li>${pages.map(link)}`,
    )}</ul></nav>
</div></div></aside>`;
}

/** Renders links to the other projects of a person. */
function ownSwitcher(clientId: string, all: readonly NamedClient[]): SafeHtml {
  const chosen = all.find(({ id }) => id === clientId);
  return html`<details class="p-2"><summary class="btn w-100">${icon("folders")}<span class="text-truncate flex-fill text-start">${chosen?.name ?? "Project"}</span>${icon("selector")}</summary>
<div class="card p-3"><ul class="list-unstyled mb-0">${all
    .slice(0, offeredMax)
    .map(({ id, name }) => html`<li><a href="${projectPath(id)}">${name}</a></li>`)}</ul></div></details>`;
}

/**
 * Renders the switcher, which opens a project by its name or id: a field that suggests names while the person types,
 * and links to the most recently used projects.
 */
function switcher(visit: Visit, clientId: string | undefined, { all, recent }: Projects): SafeHtml {
  const { request, project } = visit;
  if (project !== null) return ownSwitcher(project.id, all);
  const chosen = all.find(({ id }) => id === clientId);
  const others = recent.filter(({ id }) => id !== clientId);
  const offered = [...new Set([...recent, ...all.slice(0, offeredMax)])];
  const page = navigationPageOf(request.path);
  const to = page?.isOfClient === true ? page.path : "";
  const address = (id: string): string => `${to === "" ? "/clients/" : `${to}?client=`}${encodeURIComponent(id)}`;
  return html`<details class="p-2"><summary class="btn w-100">${icon("folders")}<span class="text-truncate flex-fill text-start">${chosen?.name ?? "All projects"}</span>${icon("selector")}</summary>
<div class="card p-3">
<form method="get" action="/switch"><input type="hidden" name="to" value="${to}">
<label class="form-label" for="switch-project">Go to a project</label>
<div class="d-flex gap-2"><input class="form-control" id="switch-project" name="project" list="switch-projects" placeholder="Name or id" autocomplete="off" required maxlength="200"><button class="btn">Go</button></div>
<datalist id="switch-projects">${offered.map(({ name, environment }) => html`<option value="${name}">${environment}</option>`)}</datalist></form>
<ul class="list-unstyled mb-0">${others.length > 0 && html`<li class="form-label mt-3">Recently used</li>`}${others.map(
    ({ id, name }) => html`<li><a href="${address(id)}">${name}</a></li>`,
  )}
<li class="mt-3"><a href="${chosen === undefined ? "/clients" : `/clients/${chosen.id}`}">${chosen === undefined ? "List of projects" : `${chosen.name}: overview`}</a></li></ul>
</div></details>`;
}
