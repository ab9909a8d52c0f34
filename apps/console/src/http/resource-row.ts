import type { DescMessage, Message } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type Column, type Difference, nameOf } from "@platform/contracts/operator/column";
import { capitalize, type Resource } from "@platform/contracts/operator/resource";
import { cellValue, isKept, messageOf, messagesIn, valueIn, wordOf } from "@platform/contracts/operator/row-values";
import { type HtmlValue, html } from "@platform/kit/web/http";
import {
  bytesOf,
  copyable,
  countOf,
  idLink,
  moneyOf,
  section,
  shortId,
  stateOf,
  table,
  timeOf,
} from "./pages/elements.ts";
import type { Visit } from "./visit.ts";

/** A message in a reply, by the names of its fields. */
export type Row = Readonly<Record<string, unknown>>;

export const isColumn = (column: Column | Difference): column is Column => "field" in column;

/** Returns the column with this name. */
export function columnOf({ name, columns }: Resource, named: string): Column {
  const found = columns.filter(isColumn).find((column) => nameOf(column) === named);
  if (found === undefined) throw new Error(`${name} has no column ${named}`);
  return found;
}

/** Returns the id of a resource. */
export const idOf = ({ id = "id" }: Resource, row: Row): string => String(row[id]);

/**
 * Returns the client that a URL needs in addition to the id of a resource, if no RPC reads that resource by its id
 * alone.
 */
export function clientIn({ operations }: Resource, { projectClientId }: Row): string | undefined {
  const isReadable = operations.some(({ does }) => does === "show");
  return isReadable || !projectClientId ? undefined : String(projectClientId);
}

/** Renders a cell of a table. The name of a resource links to its page. @param item the message type of the row */
export function cellHtml(resource: Resource, item: DescMessage, column: Column, row: Row): HtmlValue {
  return column.field === resource.named
    ? idLink(resource.paths.one, idOf(resource, row), titleOf(resource, row), clientIn(resource, row))
    : valueHtml(item, column, row);
}

/**
 * Renders a cell of a table for a visitor. If the visitor may not open the resource's page, the cell shows the name or
 * the id without a link.
 */
export function listCell(resource: Resource, item: DescMessage, column: Column, row: Row, visit: Visit): HtmlValue {
  const { named, paths, operations } = resource;
  const show = operations.find(({ does }) => does === "show");
  const isLink = column.field === named || column.page === paths.one;
  if (!isLink || show === undefined || visit.may(show.rpc)) return cellHtml(resource, item, column, row);
  return column.field === named ? titleOf(resource, row) : copyable(idOf(resource, row));
}

/**
 * Renders a table with some columns of a resource, on a page about another resource. @param linksOf returns links to
 * actions, for the last column
 */
export function rowsTable(
  resource: Resource,
  caption: string,
  names: readonly string[],
  messages: readonly Message[],
  empty: HtmlValue,
  linksOf?: (row: Row) => HtmlValue,
): HtmlValue {
  const columns = names.map((name) => columnOf(resource, name));
  const cellsOf = (row: Row) => [
    ...columns.map((column) => cellHtml(resource, resource.row, column, row)),
    ...(linksOf === undefined ? [] : [linksOf(row)]),
  ];
  return table(
    caption,
    [...columns.map(({ title }) => title), ...(linksOf === undefined ? [] : ["Actions"])],
    (messages as unknown as readonly Row[]).map(cellsOf),
    empty,
  );
}

/** Returns the title of a resource: its name, or else its noun and id. */
export function titleOf(resource: Resource, row: Row): string {
  const { noun, named } = resource;
  const id = idOf(resource, row);
  return named === undefined ? `${capitalize(noun)} ${id}` : String(row[named] || id);
}

/** Returns the word or the value of the first column that is a state; undefined if there is no such column. */
export function stateOfRow({ row: schema, columns }: Resource, row: Row): string | undefined {
  const column = columns.filter(isColumn).find(({ kind }) => kind === "state");
  return column === undefined ? undefined : String(cellValue(schema, column, row));
}

/** Returns the titles and values of some columns. */
export function factsOf(resource: Resource, names: readonly string[], row: Row): [string, HtmlValue][] {
  return names
    .map((name) => columnOf(resource, name))
    .filter((column) => isKept(column, row))
    .map((column) => [column.title, valueHtml(resource.row, column, row)]);
}

/**
 * Renders a table for each column that contains messages. If a field with a single message is absent, its table is
 * omitted.
 */
export function tablesOf({ row: schema }: Resource, columns: readonly Column[], row: Row): HtmlValue {
  return columns
    .filter(({ field }) => row[field] !== undefined)
    .map(({ title, field, columns: inner = [] }) => {
      const rows = messagesIn(row[field]) as unknown as readonly Row[];
      const shown = inner.filter((column) => rows.some((each) => isKept(column, each)));
      const cells = (each: Row) => shown.map((column) => valueHtml(messageOf(schema, field), column, each));
      const heads = shown.map((column) => column.title);
      return section(title, table(title, heads, rows.map(cells), "There is none."));
    });
}

/** Renders a value as pages show it. */
export function valueHtml(schema: DescMessage, column: Column, row: Row): HtmlValue {
  const { kind, page, words, columns, isNullIfEmpty } = column;
  const value = valueIn(column, row);
  const text = words === undefined ? value : wordOf(words, value);
  switch (kind) {
    case "id":
      return page === undefined ? copyable(String(value)) : linkOf(page, value as string | undefined, row);
    case "texts": {
      const texts = value as readonly string[];
      return texts.length === 0 ? null : texts.map((each) => html`<code>${each}</code> `);
    }
    case "json":
    case "code":
      return value === undefined ? null : html`<code>${value as string}</code>`;
    case "state":
      return isNullIfEmpty === true && text === "" ? null : stateOf(String(text));
    case "bytes":
      return bytesOf(value as bigint);
    case "money":
      return moneyOf(value as bigint, String(row.currency));
    case "time":
      return Array.isArray(value)
        ? value.map((each: Timestamp) => html`${timeOf(each)} `)
        : timeOf(value as Timestamp | undefined);
    default:
      if (columns !== undefined) return cellValue(schema, column, row);
      if (typeof text === "boolean") return text ? "yes" : "no";
      if (page !== undefined && text)
        return html`<a href="${addressIn(page, String(text), row)}">${text as string}</a>`;
      return typeof text === "bigint" || typeof text === "number" ? countOf(text) : (text as HtmlValue);
  }
}

function linkOf(page: string, id: string | undefined, row: Row): HtmlValue {
  if (!page.includes("{id}") || id === undefined || id === "") return idLink(page, id);
  return html`<a class="id" href="${addressIn(page, id, row)}" title="${id}">${shortId(id)}</a>`;
}

const addressIn = (page: string, id: string, row: Row): string =>
  page.replace("{id}", encodeURIComponent(id)).replace("{client}", encodeURIComponent(String(row.projectClientId)));
