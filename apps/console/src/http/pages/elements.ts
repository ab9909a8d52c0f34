import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";
import { type Tone, toneOf } from "../../plots/tone.ts";
import { type IconName, icon } from "./icon.ts";
import { relativeTime } from "./relative-time.ts";

/**
 * Renders a time as the distance from now. The tooltip contains the exact time in UTC, and console.js adds the viewer's
 * local time.
 */
export function timeOf(at: Timestamp | Date | undefined): HtmlValue {
  const iso = isoOf(at);
  if (iso === null) return none;
  const exact = `${iso.slice(0, 19).replace("T", " ")} UTC`;
  return html`<time datetime="${iso}" title="${exact}">${relativeTime(new Date(iso), new Date())}</time>`;
}

/** Placeholder for a missing value. */
const none = html`<span class="text-secondary">–</span>`;

/** Formats a time by RFC 3339 in UTC with milliseconds; null if there is none. */
export function isoOf(at: Timestamp | Date | undefined): string | null {
  if (at === undefined) return null;
  return (at instanceof Date ? at : timestampDate(at)).toISOString();
}

/** Renders a state as a pill. The icon and the word have the same meaning as the colour. */
export function stateOf(state: string): SafeHtml {
  const tone = toneOf(state);
  const word = state === "" ? "unknown" : state.replaceAll("_", " ");
  return html`<span class="badge state ${tone}">${icon(toneIcons[tone])}<span class="word">${word}</span></span>`;
}

const toneIcons: Readonly<Record<Tone, IconName>> = {
  good: "circle-check",
  bad: "circle-x",
  wait: "clock",
  plain: "info-circle",
};

/** Renders a text with a button that copies it, if scripts run. */
export function copyable(text: string, shown: HtmlValue = idOrText(text)): SafeHtml {
  return html`<span class="copyable" data-copy="${text}">${shown}</span>`;
}

/** Renders an id in two parts, so that a table can show only its end. Any other text is rendered unchanged. */
const idOrText = (text: string): SafeHtml =>
  wholeId.test(text)
    ? html`<code title="${text}"><span class="lead">${text.slice(0, -8)}</span>${text.slice(-8)}</code>`
    : html`<code>${text}</code>`;
/**
 * Matches a whole UUID. Those of credentials and sessions have no hyphens, because such an id is a part of a secret.
 */
const wholeId = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/;

/**
 * Renders a link to the page of a resource by its id. Without a name, it shows the end of the id with a button that
 * copies the whole id.
 */
export function idLink(path: string, id: string | undefined, name?: string, clientId?: string): HtmlValue {
  if (id === undefined || id === "") return none;
  const query = clientId === undefined ? "" : `?client=${encodeURIComponent(clientId)}`;
  const href = `${path}/${encodeURIComponent(id)}${query}`;
  if (name !== undefined) return html`<a href="${href}" title="${id}">${name}</a>`;
  return copyable(id, html`<a class="id" href="${href}" title="${id}">${shortId(id)}</a>`);
}

/** Returns the end of an id, because ids that were created at about the same time have the same beginning. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);

/** Renders the names and values of one resource. */
export function facts(rows: readonly (readonly [string, HtmlValue])[]): SafeHtml {
  return html`<dl class="datagrid">${rows.map(
    ([name, value]) =>
      html`<div><dt class="datagrid-title">${name}</dt><dd>${value === "" || value === null || value === undefined ? none : value}</dd></div>`,
  )}</dl>`;
}

/** Matches a number with its unit. Such cells are right-aligned, so that the digits in a column line up. */
const figure = /^(?:[^\w\s]{0,3}|[A-Z]{3}\s)-?\d[\d,]*(?:\.\d+)?(?:\s?(?:B|KiB|MiB|GiB|TiB|ms|s|%))?$/;

const isNumber = (cell: HtmlValue): boolean =>
  typeof cell === "number" || (typeof cell === "string" && figure.test(cell));
const isMissing = (cell: HtmlValue): boolean => cell === null || cell === undefined || cell === false || cell === "";

/**
 * Renders a table in a card. A wide table scrolls inside of its card, and its head and first column remain visible. On
 * a phone, each row is a card.
 * @param caption name of the table for screen readers
 * @param empty text if there are no rows: what the table would contain, and how to add it
 */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly HtmlValue[])[],
  empty: HtmlValue = "Nothing here yet.",
): SafeHtml {
  if (rows.length === 0) return html`<div class="empty py-3">${icon("inbox")}<p>${empty}</p></div>`;
  const isNumeric = heads.map((_, column) => {
    const cells = rows.map((row) => row[column]).filter((cell) => !isMissing(cell));
    return cells.length > 0 && cells.every(isNumber);
  });
  const classOf = (column: number): HtmlValue => isNumeric[column] === true && html` class="numeric"`;
  return html`<div class="table-responsive" role="region" aria-label="${caption}" tabindex="0"><table class="table table-vcenter table-mobile-md">
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${heads.map((head, column) => html`<th scope="col"${classOf(column)}>${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, column) => html`<td data-label="${heads[column] ?? ""}"${classOf(column)}>${shown(cell)}</td>`)}</tr>`,
  )}</tbody>
</table></div>`;
}

function shown(cell: HtmlValue): HtmlValue {
  if (isMissing(cell)) return html`<span class="text-secondary">–</span>`;
  return typeof cell === "number" ? cell.toLocaleString("en-US") : cell;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytesOf(count: bigint | number): string {
  let value = Number(count);
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export const countOf = (count: bigint | number): string => Number(count).toLocaleString("en-US");

/** Formats an amount in minor units with the decimals of its currency. */
export function moneyOf(minor: bigint, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(Number(minor) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** Renders a part of a page with a heading, as a card. */
export function section(title: string, ...content: readonly HtmlValue[]): SafeHtml {
  return html`<section><h2>${title}</h2>${content}</section>`;
}
