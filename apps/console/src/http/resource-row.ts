import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type Column, capitalize, type Resource } from "@platform/contracts/operator/resource";
import { type HtmlValue, html } from "@platform/kit/web/http";
import { copyable, countOf, idLink, moneyOf, stateOf, timeOf } from "./pages/elements.ts";

/** A message of a reply, by the names of its fields. */
export type Row = Readonly<Record<string, unknown>>;

/** The column of a field. */
export function columnOf({ name, columns }: Resource, field: string): Column {
  const found = columns.find((column): column is Column => "field" in column && column.field === field);
  if (found === undefined) throw new Error(`${name} has no column for ${field}`);
  return found;
}

/** The title of one: its name, else its noun and id. */
export function titleOf({ noun, named }: Resource, row: Row): string {
  return named === undefined ? `${capitalize(noun)} ${row.id}` : String(row[named] || row.id);
}

/** Titles and values of some fields. */
export function factsOf(resource: Resource, fields: readonly string[], row: Row): [string, HtmlValue][] {
  return fields.map((field) => {
    const column = columnOf(resource, field);
    return [column.title, valueHtml(column, row)];
  });
}

/** Paths of pages that need the Project Client in their URL, because no RPC reads one by its id alone. */
const foundInClient: readonly string[] = ["/schedules", "/migrations"];

/** A value as pages show it. */
export function valueHtml({ field, kind, page }: Column, row: Row): HtmlValue {
  const value = row[field];
  switch (kind) {
    case "id": {
      if (page === undefined) return copyable(String(value));
      const client = foundInClient.includes(page) ? String(row.projectClientId) : undefined;
      return idLink(page, value as string | undefined, undefined, client);
    }
    case "texts":
      return (value as readonly string[]).map((each) => html`<code>${each}</code> `);
    case "code":
      return html`<code>${value as string}</code>`;
    case "state":
      return stateOf(String(value));
    case "money":
      return moneyOf(value as bigint, String(row.currency));
    case "time":
      return timeOf(value as Timestamp | undefined);
    default:
      if (typeof value === "boolean") return value ? "yes" : "no";
      return typeof value === "bigint" || typeof value === "number" ? countOf(value) : (value as HtmlValue);
  }
}
