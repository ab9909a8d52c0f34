import { defined } from "@platform/kit/process/fields";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { clientColumn, download } from "./download.ts";
import { nextPage, type PagePlace, previousPage } from "./page-place.ts";
import { idLink, table } from "./pages/elements.ts";
import { type Field, fieldHtml } from "./pages/fields.ts";
import { icon } from "./pages/icon.ts";
import type { Answer, Column, Filters, Listing } from "./screen.ts";
import type { Visit } from "./visit.ts";

const pageSize = 50;
/** Maximum number of clients that a filter offers by name. If there are more, a person types an id. */
const offeredMax = 200;

/** Shows a page of a list, or downloads it. */
export async function showList<R>(visit: Visit, listing: Listing<R>): Promise<Answer> {
  const filters = await filtersOf(visit, listing);
  const format = visit.query("format");
  if (format === "csv" || format === "ndjson") return download(visit, listing, filters, format);
  const { title, crumbs, empty, linksOf } = listing;
  const columns = await shownColumns(visit, listing, filters);
  const cursor = visit.query("cursor");
  const hasClient = !listing.isOfClient || filters.client !== "";
  const [page, above, plots, form] = await Promise.all([
    hasClient ? listing.read(visit, filters, { limit: pageSize, cursor }) : { rows: [], nextCursor: "" },
    hasClient ? listing.above?.(visit, filters) : null,
    hasClient && cursor === "" ? listing.plots?.(visit, filters) : null,
    filterForm(visit, listing, filters),
  ]);
  const rows = page.rows.map((row) => [
    ...columns.map((column) => column.cell?.(row, visit) ?? column.value(row)),
    ...(linksOf === undefined ? [] : [linksOf(visit, row)]),
  ]);
  const isFiltered = (listing.filters ?? []).some(({ name }) => (filters[name] ?? "") !== "");
  const nothing = !hasClient
    ? html`There are no projects yet. Create one under <a href="/clients">Projects</a>.`
    : isFiltered
      ? html`Nothing matches these filters. <a href="${clearedAddress(listing, filters)}">Clear the filters</a>.`
      : empty;
  return {
    title,
    ...defined({ crumbs }),
    ...(filters.client ? { clientId: filters.client } : {}),
    body: html`${above}${plots}
<section aria-label="${title}">${form}${chips(visit, listing, filters)}${table(
      `${title}, a page of at most ${pageSize}`,
      [...columns.map(({ title: head }) => head), ...(linksOf === undefined ? [] : ["Actions"])],
      rows,
      nothing,
    )}
${rows.length > 0 && pagesBelow(visit, page.nextCursor, listing.exported === undefined ? "Download" : "Export")}</section>`,
  };
}

/**
 * Returns the columns in the order in which people read them: the name before the id, followed by the project if the
 * list has rows of several projects. Downloads keep the original order.
 */
export async function shownColumns<R>(
  visit: Visit,
  { columns, clientIdOf }: Pick<Listing<R>, "columns" | "clientIdOf">,
  filters: Filters,
): Promise<readonly Column<R>[]> {
  const names = columns.filter(({ key }) => key === "name");
  const [first, ...others] = [...names, ...columns.filter(({ key }) => key !== "name")];
  if (first === undefined) return columns;
  if (clientIdOf === undefined || filters.client !== "") return [first, ...others];
  const known = new Map((await visit.projectClients()).map(({ id, name }) => [id, name]));
  const cell = (row: R): HtmlValue => idLink("/clients", clientIdOf(row), known.get(clientIdOf(row)));
  return [first, { ...clientColumn(clientIdOf), cell }, ...others];
}

/** Renders the active filters, each with a link that removes it. */
function chips<R>(visit: Visit, { filters: fields = [] }: Listing<R>, filters: Filters): HtmlValue {
  const set = fields.filter(({ name }) => (filters[name] ?? "") !== "");
  if (set.length === 0) return null;
  return html`<ul class="btn-list list-unstyled" aria-label="Active filters">${set.map(({ name, label, choices }) => {
    const value = filters[name] ?? "";
    const shown = choices?.find(([each]) => each === value)?.[1] ?? value;
    return html`<li class="badge">${label}: ${shown} <a class="p-2" href="${visit.here({ [name]: null, cursor: null, back: null })}" aria-label="Remove the filter ${label}">${icon("x")}</a></li>`;
  })}</ul>`;
}

function pagesBelow(visit: Visit, nextCursor: string, verb: "Download" | "Export"): HtmlValue {
  const place = { cursor: visit.query("cursor"), back: visit.query("back") };
  const previous = previousPage(place);
  const here = (query: Partial<PagePlace>): string =>
    visit.here({ cursor: query.cursor || null, back: query.back || null });
  return html`<ul class="btn-list list-unstyled">
${place.cursor !== "" && html`<li><a class="btn" href="${here({})}">First page</a></li>`}
${previous !== null && html`<li><a class="btn" rel="prev" href="${here(previous)}">${icon("chevron-left")} Previous page</a></li>`}
${nextCursor !== "" && html`<li><a class="btn" rel="next" href="${here(nextPage(place, nextCursor))}">Next page ${icon("chevron-right")}</a></li>`}
<li><a href="${visit.here({ cursor: null, back: null, format: "csv" })}" download>${icon("download")} ${verb} all as CSV</a></li>
<li><a href="${visit.here({ cursor: null, back: null, format: "ndjson" })}" download>${verb} all as NDJSON</a></li></ul>`;
}

const clearedAddress = ({ path }: { path: string }, { client }: Filters): string =>
  client ? `${path}?client=${encodeURIComponent(client)}` : path;

/**
 * Returns the filters in the address. Without a client, the list shows all clients, or the oldest client if it can show
 * only one.
 */
async function filtersOf<R>(visit: Visit, { filters = [], isOfClient, clientIdOf }: Listing<R>): Promise<Filters> {
  const given = Object.fromEntries(filters.map(({ name }) => [name, visit.query(name)]));
  if (clientIdOf !== undefined) return { ...given, client: visit.query("client") };
  return isOfClient ? { ...given, client: await clientOf(visit) } : given;
}

/** Returns the Project Client in the address, otherwise the oldest one. Empty if there is none. */
export async function clientOf(visit: Visit): Promise<string> {
  return visit.query("client") || ((await visit.projectClients())[0]?.id ?? "");
}

/**
 * Returns the field to choose a project, as an array. It is empty on the pages of a project, which are limited to that
 * project.
 * @param none label of the choice without a project; absent if a project is required
 */
export async function clientFields(visit: Visit, value: string, none?: string): Promise<readonly Field[]> {
  if (visit.project !== null) return [];
  const clients = await visit.projectClients();
  const isKnown = clients.some(({ id }) => id === value) || value === "";
  if (clients.length > offeredMax || !isKnown)
    return [
      {
        name: "client",
        label: "Project id",
        value,
        type: "text",
        ...(none && { hint: `Leave empty for ${none}.` }),
      },
    ];
  return [
    {
      name: "client",
      label: "Project",
      value,
      choices: [
        ...(none === undefined ? [] : [["", none] as const]),
        ...clients.map(({ id, name, environment }) => [id, `${name} (${environment})`] as const),
      ],
    },
  ];
}

async function filterForm<R>(visit: Visit, listing: Listing<R>, filters: Filters): Promise<HtmlValue> {
  const isOptional = listing.clientIdOf !== undefined;
  const hasClient = isOptional || listing.isOfClient;
  const client = hasClient
    ? await clientFields(visit, filters.client ?? "", isOptional ? "all projects" : undefined)
    : [];
  const fields = [
    ...client,
    ...(listing.filters ?? []).map((field) => ({ ...field, value: filters[field.name] ?? "" })),
  ];
  if (fields.length === 0) return null;
  return html`<form class="filters d-flex flex-wrap gap-2 align-items-end mb-3" method="get" action="${listing.path}" aria-label="Filters">
${fields.map((field) => fieldHtml(field, "filter"))}<button class="btn">Show</button></form>`;
}
