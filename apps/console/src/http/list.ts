import { defined } from "@platform/kit/process/fields";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { download } from "./download.ts";
import { table } from "./pages/elements.ts";
import { type Field, fieldHtml } from "./pages/fields.ts";
import { icon } from "./pages/icon.ts";
import type { Answer, Column, Filters, Listing } from "./screen.ts";
import type { Visit } from "./visit.ts";

const pageSize = 50;
/** Clients that a filter offers by name; beyond, their id is typed. */
const offeredMax = 200;

/** Shows a page of a list, or downloads it. */
export async function showList<R>(visit: Visit, listing: Listing<R>): Promise<Answer> {
  const filters = await filtersOf(visit, listing);
  const format = visit.query("format");
  if (format === "csv" || format === "ndjson") return download(visit, listing, filters, format);
  const { title, crumbs, empty, linksOf } = listing;
  const columns = namesFirst(listing.columns);
  const cursor = visit.query("cursor");
  const hasClient = !listing.isOfClient || filters.client !== "";
  const [page, above, plots, form] = await Promise.all([
    hasClient ? listing.read(visit, filters, { limit: pageSize, cursor }) : { rows: [], nextCursor: "" },
    hasClient ? listing.above?.(visit, filters) : null,
    hasClient && cursor === "" ? listing.plots?.(visit, filters) : null,
    filterForm(visit, listing, filters),
  ]);
  const rows = page.rows.map((row) => [
    ...columns.map((column) => column.cell?.(row) ?? column.value(row)),
    ...(linksOf === undefined ? [] : [linksOf(visit, row)]),
  ]);
  const isFiltered = (listing.filters ?? []).some(({ name }) => (filters[name] ?? "") !== "");
  const nothing = !hasClient
    ? html`There is no Project Client yet: create one under <a href="/clients">Projects</a>.`
    : isFiltered
      ? html`Nothing fits these filters. <a href="${clearedAddress(listing, filters)}">Clear them</a>.`
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
${rows.length > 0 && pagesBelow(visit, cursor, page.nextCursor, listing.exported === undefined ? "Download" : "Export")}</section>`,
  };
}

/** A list shows what a person reads first: the name before the id. Downloads keep their order. */
function namesFirst<R>(columns: readonly Column<R>[]): readonly Column<R>[] {
  const names = columns.filter(({ key }) => key === "name");
  return [...names, ...columns.filter(({ key }) => key !== "name")];
}

/** The filters that are set, each with a link that takes it away. */
function chips<R>(visit: Visit, { filters: fields = [] }: Listing<R>, filters: Filters): HtmlValue {
  const set = fields.filter(({ name }) => (filters[name] ?? "") !== "");
  if (set.length === 0) return null;
  return html`<ul class="btn-list list-unstyled" aria-label="Active filters">${set.map(({ name, label, choices }) => {
    const value = filters[name] ?? "";
    const shown = choices?.find(([each]) => each === value)?.[1] ?? value;
    return html`<li class="badge">${label}: ${shown} <a class="p-2" href="${visit.here({ [name]: null, cursor: null })}" aria-label="Remove the filter ${label}">${icon("x")}</a></li>`;
  })}</ul>`;
}

function pagesBelow(visit: Visit, cursor: string, nextCursor: string, verb: "Download" | "Export"): HtmlValue {
  return html`<ul class="pages btn-list list-unstyled">
${cursor !== "" && html`<li><a class="btn" href="${visit.here({ cursor: null })}">First page</a></li>`}
${nextCursor !== "" && html`<li><a class="btn" rel="next" href="${visit.here({ cursor: nextCursor })}">Next page ${icon("chevron-right")}</a></li>`}
<li class="downloads"><a href="${visit.here({ cursor: null, format: "csv" })}" download>${icon("download")} ${verb} all as CSV</a></li>
<li><a href="${visit.here({ cursor: null, format: "ndjson" })}" download>${verb} all as NDJSON</a></li></ul>`;
}

function clearedAddress({ path, isOfClient }: { path: string; isOfClient: boolean }, filters: Filters): string {
  return isOfClient ? `${path}?client=${encodeURIComponent(filters.client ?? "")}` : path;
}

/** The filters as the address has them; without a client those of the oldest one. */
async function filtersOf<R>(visit: Visit, listing: Listing<R>): Promise<Filters> {
  const given = Object.fromEntries((listing.filters ?? []).map(({ name }) => [name, visit.query(name)]));
  return listing.isOfClient ? { ...given, client: await clientOf(visit) } : given;
}

/** The Project Client the address names, else the oldest one; empty when there is none. */
export async function clientOf(visit: Visit): Promise<string> {
  return visit.query("client") || ((await visit.projectClients())[0]?.id ?? "");
}

/** The choice of a Project Client. */
export async function clientField(visit: Visit, value: string): Promise<Field> {
  const clients = await visit.projectClients();
  const isKnown = clients.some(({ id }) => id === value) || value === "";
  if (clients.length > offeredMax || !isKnown)
    return { name: "client", label: "Project Client id", value, type: "text" };
  return {
    name: "client",
    label: "Project Client",
    value,
    choices: clients.map(({ id, name, environment }) => [id, `${name} (${environment})`]),
  };
}

async function filterForm<R>(visit: Visit, listing: Listing<R>, filters: Filters): Promise<HtmlValue> {
  const client = listing.isOfClient ? [await clientField(visit, filters.client ?? "")] : [];
  const fields = [
    ...client,
    ...(listing.filters ?? []).map((field) => ({ ...field, value: filters[field.name] ?? "" })),
  ];
  if (fields.length === 0) return null;
  return html`<form class="filters d-flex flex-wrap gap-2 align-items-end mb-3" method="get" action="${listing.path}" aria-label="Filters">
${fields.map((field) => fieldHtml(field, "filter"))}<button class="btn">Show</button></form>`;
}
