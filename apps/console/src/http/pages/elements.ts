import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { type HtmlValue, html, type SafeHtml } from "@platform/kit/web/http";

/** A time in UTC; console.js puts the viewer's own zone before it. */
export function timeOf(at: Timestamp | Date | undefined): HtmlValue {
  const iso = isoOf(at);
  if (iso === null) return html`<span class="none">–</span>`;
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
}

/** RFC 3339 in UTC with milliseconds, or null when there is none. */
export function isoOf(at: Timestamp | Date | undefined): string | null {
  if (at === undefined) return null;
  return (at instanceof Date ? at : timestampDate(at)).toISOString();
}

/** A state in its colour; its word says the same. */
export function stateOf(state: string): SafeHtml {
  const tone = tones.find(([, states]) => states.includes(state))?.[0] ?? "plain";
  return html`<span class="state ${tone}">${state === "" ? "unknown" : state.replaceAll("_", " ")}</span>`;
}

const tones: readonly (readonly [string, readonly string[]])[] = [
  [
    "good",
    ["active", "sent", "holds", "verified", "succeeded", "available", "completed", "ok", "valid", "granted", "clean"],
  ],
  [
    "bad",
    [
      "failed",
      "down",
      "rejected",
      "disabled",
      "revoked",
      "broken",
      "verification_failed",
      "infected",
      "withdrawn",
      "page",
    ],
  ],
  [
    "wait",
    "pending sending running degraded quarantined paused deferred link_pending pending_upload exhausted started waiting ticket not_verified".split(
      " ",
    ),
  ],
];

/** Text that can be copied by a button, where scripts run. */
export function copyable(text: string, shown: HtmlValue = html`<code>${text}</code>`): SafeHtml {
  return html`<span class="copyable" data-copy="${text}">${shown}</span>`;
}

/** An id that leads to its page. */
export function idLink(
  path: string,
  id: string | undefined,
  shown: string = shortId(id ?? ""),
  clientId?: string,
): HtmlValue {
  if (id === undefined || id === "") return html`<span class="none">–</span>`;
  const query = clientId === undefined ? "" : `?client=${encodeURIComponent(clientId)}`;
  return html`<a class="id" href="${path}/${encodeURIComponent(id)}${query}" title="${id}">${shown}</a>`;
}

/** The end of an id, which differs first between ids of one time. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);

/** Names and values of one thing. */
export function facts(rows: readonly (readonly [string, HtmlValue])[]): SafeHtml {
  return html`<dl class="facts">${rows.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd>${value === "" || value === null || value === undefined ? html`<span class="none">–</span>` : value}</dd></div>`,
  )}</dl>`;
}

/** A table whose wide rows scroll by themselves; `caption` names it for those who hear it. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly HtmlValue[])[],
  empty: HtmlValue = "Nothing here yet.",
): SafeHtml {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="quiet">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

export function bytesOf(count: bigint | number): string {
  let value = Number(count);
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit += 1) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

export const countOf = (count: bigint | number): string => Number(count).toLocaleString("en-US");

/** Minor units with the decimals of their currency. */
export function moneyOf(minor: bigint, currency: string): string {
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency });
  return format.format(Number(minor) / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** A part of a page with its heading. */
export function section(title: string, ...content: readonly HtmlValue[]): SafeHtml {
  return html`<section><h2>${title}</h2>${content}</section>`;
}
